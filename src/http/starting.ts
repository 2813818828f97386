import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { AppError } from '../errors.ts';
import { type CardProblem, isImageFormat, type Parameters } from './images.ts';
import { asListenError } from './listen.ts';
import { toProblem } from './problem.ts';
import { withDocumentedForms } from './query-forms.ts';
import { requestIdSource } from './request-ids.ts';
import { errorCodeHeader, imageHeaders } from './response.ts';

const retryAfterMs = 5000;
const notReady = toProblem(
  new AppError('overloaded', 'The service is starting.', { retryAt: new Date(retryAfterMs) }),
  new Date(0),
);
const limits = { headersTimeout: 10_000, requestTimeout: 15_000, connectionsCheckingInterval: 1000 };

/** A listener that holds the port of a node until the node can serve requests. */
export interface Starting {
  /** Gives the port back; connections end. */
  close(): Promise<void>;
}

/** Draws an error as SVG. */
type DrawProblem = (card: string, query: Parameters, problem: CardProblem) => { svg: string };

/**
 * Creates the server of the time in which a node starts, which is long when tables are migrated: it shows that the process
 * runs, and responds to everything else with 503, to requests for images with a card. A supervisor that only checks the
 * process therefore does not end a migration.
 */
export function createStartingServer(draw: DrawProblem): Server {
  const newRequestId = requestIdSource();
  const { message, code } = notReady.body.error;
  const problem = { status: notReady.status, message, explanations: [] };
  return createServer(limits, (request, response) => {
    response.setHeader('x-request-id', newRequestId());
    const { path, query } = addressOf(request);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead && path === '/healthz') return send(response, 200, json({ status: 'ok' }));
    response.setHeaders(new Map(Object.entries(notReady.headers)));
    const card = isRead ? cardAt(path, query) : undefined;
    const svg = card === undefined ? undefined : tryDrawing(() => draw(card, query, problem));
    if (svg === undefined) return send(response, notReady.status, json(notReady.body));
    response.setHeaders(new Map(Object.entries({ ...imageHeaders, [errorCodeHeader]: String(code) })));
    // As in a running service: proxies for images show nothing but a 200.
    const status = request.headers.authorization === undefined ? 200 : notReady.status;
    return send(response, status, { text: svg, type: 'image/svg+xml; charset=utf-8' });
  });
}

/**
 * Listens while a node starts.
 * @throws AppError `misconfigured` that names PORT or HOST when the address cannot be listened on.
 */
export async function listenWhileStarting(
  { host, port }: { host: string; port: number },
  draw: DrawProblem,
): Promise<Starting> {
  const server = createStartingServer(draw);
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    throw asListenError('PORT', { host, port }, error);
  }
  return {
    close: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function addressOf({ url = '' }: IncomingMessage): { path: string; query: Parameters } {
  const [path = '', query] = url.replace(/^https?:\/\/[^/?]*/i, '').split(/\?(.*)/s);
  return { path, query: withDocumentedForms(Object.fromEntries(new URLSearchParams(query))) };
}

/** Returns a drawn card; undefined when it fails: an error in this listener would end the process. */
function tryDrawing(draw: () => { svg: string }): string | undefined {
  try {
    return draw().svg;
  } catch {
    return undefined;
  }
}

/** Returns the card that an address leads to; undefined when it does not lead to an image. PNG is drawn as SVG too. */
function cardAt(path: string, { format }: Parameters): string | undefined {
  if (path.endsWith('/badges/community')) return 'community';
  if (/^\/v1\/embeds\/[^/]+\.(?:svg|png)$/.test(path)) return 'contributions';
  return isImageFormat(format)
    ? (/\/(contributors|achievements)(?:\/|$)/.exec(path)?.[1] ?? 'contributions')
    : undefined;
}

function json(body: object): { text: string; type: string } {
  return { text: JSON.stringify(body), type: 'application/json; charset=utf-8' };
}

function send(response: ServerResponse, status: number, { text, type }: { text: string; type: string }): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  });
  response.end(response.req.method === 'HEAD' ? undefined : text);
}
