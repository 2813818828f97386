import { context, propagation, type Span, SpanKind, trace } from '@opentelemetry/api';
import type { FastifyRequest } from 'fastify';
import type { App } from './app.ts';

/** Does nothing until tracing has begun. */
const tracer = trace.getTracer('plaudit');

/**
 * Makes a span of each request that reaches the framework, as a part of the caller's trace where it names one. Responses from
 * the cache have none. The route is the pattern of the path, which holds no name.
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
