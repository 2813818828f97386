import { type Attributes, context, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

/** Does nothing until tracing has begun. */
const tracer = trace.getTracer('plaudit');

/**
 * Runs a job in a span of its own.
 * @param attributes without names of accounts, tokens or addresses.
 */
export async function inJobSpan<Result>(
  name: string,
  attributes: Attributes,
  work: () => Promise<Result>,
): Promise<Result> {
  const span = tracer.startSpan(name, { kind: SpanKind.CONSUMER, attributes });
  try {
    return await context.with(trace.setSpan(context.active(), span), work);
  } catch (error) {
    markFailed(span);
    throw error;
  } finally {
    span.end();
  }
}

/** Marks a span without the message of its error, which may hold names. */
function markFailed(span: Span): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
}
