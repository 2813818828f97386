import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Handler, type HttpServer, startHttpServer } from '../../../simulators/git/http-server.ts';
import { type SmartHttpOptions, smartHttp } from '../../../simulators/git/smart-http.ts';

/** A code host, as far as git sees it. */
export interface RemoteHost extends HttpServer {
  /** Method and path of every request so far. */
  requests: string[];
  /** Called before each request reaches the repository; `next` passes the request on. */
  intercept: (request: IncomingMessage, response: ServerResponse, next: Handler) => void | Promise<void>;
}

/** Serves one repository at every path. */
export async function startRemote(directory: string, options: SmartHttpOptions = {}): Promise<RemoteHost> {
  const serveRepository = smartHttp(() => ({ directory }), options);
  const server = await startHttpServer((request, response) => {
    host.requests.push(`${request.method} ${request.url}`);
    return host.intercept(request, response, serveRepository);
  });
  const host: RemoteHost = {
    ...server,
    requests: [],
    intercept: (request, response, next) => next(request, response),
  };
  return host;
}
