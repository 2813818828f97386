import { context, propagation, type Span, SpanKind, trace } from '@opentelemetry/api';
import type { FastifyRequest } from 'fastify';
import type { App } from './app.ts';

/** OpenTelemetry's tracer, which does nothing until tracing is set up. */
const tracer = trace.getTracer('plaudit');

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
