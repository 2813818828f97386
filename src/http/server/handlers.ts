import { setTimeout as wait } from 'node:timers/promises';
import { context, propagation, type Span, SpanKind, trace } from '@opentelemetry/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../model/errors.ts';
import { sendMoved } from '../pipeline/send.ts';
import type { App } from './app.ts';

const isNamed = (part: string): boolean => part !== '';

/** OpenTelemetry's tracer, which does nothing until tracing is set up. */
const tracer = trace.getTracer('plaudit');

type Respond = (error: unknown, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** The longest time, in ms, that a closing server waits for handlers once all connections have ended. */
const handlersEndWithinMs = 1500;

/**
 * Lets a closing server wait for the handlers that run on when all connections have ended. A handler does not end when
 * its client disconnects, and would find the connections to the database closed.
 */
export function awaitHandlers(app: App): void {
  const running = new Set<Promise<unknown>>();
  app.addHook('onRoute', (route) => {
    const { handler } = route;
    route.handler = function (request, reply) {
      const result: unknown = handler.call(this, request, reply);
      if (result instanceof Promise) {
        const ended: Promise<unknown> = result.catch(() => {}).finally(() => running.delete(ended));
        running.add(ended);
      }
      return result;
    };
  });
  app.addHook('onClose', async () => {
    const ending = new AbortController();
    const patience = wait(handlersEndWithinMs, undefined, { signal: ending.signal }).catch(() => {});
    await Promise.race([Promise.all(running), patience]);
    ending.abort();
  });
}

/**
 * Lets the first error of a request have its response. A second one may follow while that is being made: a handler ends
 * with an error after its time limit, or the limit passes while an image of the error is drawn. Fastify leaves a second
 * error to the handler of the scope around, and to its own one outside of all, which sends a message that nothing
 * describes (`lib/error-handler.js`). So the routes are in a scope of their own, and both handlers are the same.
 * @param register adds the routes.
 */
export async function respondToFirstErrors(app: App, respond: Respond, register: (app: App) => void): Promise<void> {
  const responses = new WeakMap<FastifyRequest, Promise<FastifyReply>>();
  const handle: Respond = (error, request, reply) => {
    const response = responses.get(request) ?? respond(error, request, reply);
    responses.set(request, response);
    return response;
  };
  app.setErrorHandler(handle);
  await app.register(async (routes: App) => {
    routes.setErrorHandler(handle);
    register(routes);
  });
}

/**
 * Creates a span for each request that reaches the framework, in the trace that the request names, if any. Responses
 * from the cache have no span. The span names the route by the pattern of its path, which contains no account's name.
 */
export function traceRequests(app: App): void {
  const spans = new WeakMap<FastifyRequest, Span>();
  app.addHook('onRequest', (request, _reply, done) => {
    const parent = propagation.extract(context.active(), request.headers);
    const { method } = request;
    const route = request.routeOptions.url ?? 'unmatched';
    const attributes = { 'http.request.method': method, 'http.route': route };
    const span = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent);
    spans.set(request, span);
    context.with(trace.setSpan(parent, span), done);
  });
  app.addHook('onResponse', async (request, { statusCode }) => {
    spans.get(request)?.setAttribute('http.response.status_code', statusCode).end();
  });
}

/**
 * Redirects addresses with a slash at the end, or several in a row, to the address without them. The router would take
 * the empty part for a name, so that `/contributions/` would be an address of one counter. Where the empty part is
 * really the place of a name, such as in `/v1/github/entities//contributions`, the address is of nothing.
 */
export function redirectExtraSlashes(app: App): void {
  app.addHook('onRequest', async (request, reply): Promise<FastifyReply | undefined> => {
    const [path = '', query] = request.url.split(/\?(.*)/s, 2);
    if (!/\/\/|.\/$/.test(path)) return undefined;
    if (request.method === 'GET' || request.method === 'HEAD') {
      const meant = withoutExtraSlashes(app, path);
      if (meant !== undefined) return sendMoved(request, reply, query === undefined ? meant : `${meant}?${query}`);
    }
    if (!request.is404) throw new AppError('not_found', 'A part of this address is empty.');
    return undefined;
  });
}

/** Returns the path without empty parts; undefined where no route has it, or where one part may lack its name. */
function withoutExtraSlashes(app: App, path: string): string | undefined {
  const parts = path.split('/');
  const meant = `/${parts.filter(isNamed).join('/')}`;
  const trimmed = `/${parts.slice(parts.findIndex(isNamed), parts.findLastIndex(isNamed) + 1).join('/')}`;
  const isRoute = (url: string): boolean => app.findRoute({ method: 'GET', url }) !== null;
  return isRoute(meant) && (meant === trimmed || !isRoute(trimmed)) ? meant : undefined;
}
