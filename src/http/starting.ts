import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { AppError } from '../errors.ts';
import { asListenError } from './listen.ts';
import { toProblem } from './problem.ts';
import { requestIdSource } from './request-ids.ts';

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

/**
 * Listens while a node starts, which takes long when tables are migrated: shows that the process runs, and responds to
 * everything else with 503. A supervisor that only checks the process therefore does not end a migration.
 * @throws AppError `misconfigured` that names PORT or HOST when the address cannot be listened on.
 */
export async function listenWhileStarting({ host, port }: { host: string; port: number }): Promise<Starting> {
  const newRequestId = requestIdSource();
  const server = createServer(limits, (request, response) => {
    const path = request.url?.split('?', 1)[0];
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead && path === '/healthz') send(response, 200, { status: 'ok' }, newRequestId());
    else send(response, notReady.status, notReady.body, newRequestId(), notReady.headers);
  });
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

function send(
  response: ServerResponse,
  status: number,
  body: object,
  requestId: string,
  headers: Record<string, string> = {},
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
    connection: 'close',
  });
  response.end(response.req.method === 'HEAD' ? undefined : text);
}
