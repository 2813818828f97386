import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { AppError } from '../../model/errors.ts';
import {
  type CardProblem,
  isFromProgram,
  isImageFormat,
  type Parameters,
  unfinishedImageHeaders,
} from '../pipeline/images.ts';
import { toProblem } from '../pipeline/problem.ts';
import { imageHeaders, pageHeaders, transportHeaders } from '../pipeline/response.ts';
import type { PageProblem } from '../pipeline/send.ts';
import { withDocumentedForms } from './forms.ts';
import { asListenError } from './listen.ts';
import { problemOfRequest, readsWithoutHost, refuse, refuseUnread } from './refuse-connection.ts';
import { requestIdSource } from './request-ids.ts';

const retryAfterMs = 5000;
/** The error until the node can serve requests. Its `Retry-After` is relative, so that any time can stand for now. */
const notReady = toProblem(
  new AppError('overloaded', 'The service is starting.', { retryAt: new Date(retryAfterMs) }),
  new Date(0),
);
const limits = { headersTimeout: 10_000, requestTimeout: 15_000, connectionsCheckingInterval: 1000 };

/** A listener that holds the port of a node until the node can serve requests. */
interface Starting {
  /** Stops listening, and closes all connections. */
  close(): Promise<void>;
}

/** The views of a node that starts. */
interface StartingViews {
  /** Draws an error as SVG. */
  drawProblem: (card: string, query: Parameters, problem: CardProblem) => { svg: string };
  pages: StartingPages;
}

export interface StartingPages {
  publicUrl: () => string;
  stylesheet: { path: string; text: string };
  /** Renders an error for readers of pages. */
  renderProblem: (problem: PageProblem, request: Pick<IncomingMessage, 'url' | 'headers'>) => string;
}

/**
 * Creates the server for the time in which a node starts, which is long when tables are migrated. It confirms at
 * `/healthz` that the process runs, so that a supervisor does not end a migration, and responds to all other requests
 * with 503, to requests for images with a card, to browsers with a page.
 */
export function createStartingServer({ drawProblem, pages }: StartingViews): Server {
  const newRequestId = requestIdSource();
  const { message, code } = notReady.body.error;
  const problem = { status: notReady.status, message, explanations: [] };
  const options = { now: () => new Date(), newRequestId };
  const server = createServer({ ...limits, ...readsWithoutHost }, (request, response) => {
    response.setHeaders(new Map(Object.entries(transportHeaders(pages.publicUrl()))));
    const unread = problemOfRequest(request, options.now());
    if (unread !== undefined) return refuse(response, unread, options);
    response.setHeader('x-request-id', newRequestId());
    const { path, query } = readAddress(request);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead && path === '/healthz') return send(response, 200, json({ status: 'ok' }));
    const { stylesheet, renderProblem } = pages;
    if (isRead && path === stylesheet.path) {
      return send(response, 200, { text: stylesheet.text, type: 'text/css; charset=utf-8' });
    }
    response.setHeaders(new Map(Object.entries(notReady.headers)));
    const card = isRead ? cardAt(path, query) : undefined;
    const svg = card === undefined ? undefined : tryRendering(() => drawProblem(card, query, problem).svg);
    if (svg !== undefined) {
      response.setHeaders(new Map(Object.entries({ ...imageHeaders, ...unfinishedImageHeaders(code) })));
      // A running service does the same, because image proxies show no image with another status than 200.
      const { headers } = request;
      const status = headers.authorization === undefined && !isFromProgram(headers) ? 200 : notReady.status;
      return send(response, status, { text: svg, type: 'image/svg+xml; charset=utf-8' });
    }
    const retryAfterS = isRead ? retryAfterMs / 1000 : undefined;
    const page = wantsPage(request, path)
      ? tryRendering(() => renderProblem({ ...problem, retryAfterS }, request))
      : undefined;
    if (page === undefined) return send(response, notReady.status, json(notReady.body));
    response.setHeaders(new Map(Object.entries(pageHeaders)));
    return send(response, notReady.status, { text: page, type: pageHeaders['content-type'] });
  });
  refuseUnread(server, options);
  return server;
}

/**
 * Listens while a node starts.
 * @throws AppError `misconfigured` that names PORT or HOST when the address cannot be listened on.
 */
export async function listenWhileStarting(
  { host, port }: { host: string; port: number },
  views: StartingViews,
): Promise<Starting> {
  const server = createStartingServer(views);
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

function readAddress({ url = '' }: IncomingMessage): { path: string; query: Parameters } {
  const [path = '', query] = url.replace(/^https?:\/\/[^/?]*/i, '').split(/\?(.*)/s);
  return { path, query: withDocumentedForms(Object.fromEntries(new URLSearchParams(query))) };
}

/** Returns whether a request is from a reader of pages, as a running service decides it. */
function wantsPage({ headers }: IncomingMessage, path: string): boolean {
  return !path.startsWith('/v1/') && path !== '/readyz' && headers.accept?.includes('text/html') === true;
}

/** Returns a card or a page; undefined when it fails, because an error in this listener would end the process. */
function tryRendering(render: () => string): string | undefined {
  try {
    return render();
  } catch {
    return undefined;
  }
}

/** Returns the card that an address leads to, also for PNG, which is sent as SVG; undefined when it is not an image. */
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
