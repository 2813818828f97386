import type { FastifyReply, FastifyRequest } from 'fastify';
import { overloaded } from '../database/slots.ts';
import { withinScope } from '../database/statement-scope.ts';

/** The time, in ms, before the time limit of a response at which its statements end, so that it can still say why. */
const closingMs = 500;

/** Runs work for a response. Its statements end with the client's connection, and before the response's time limit. */
export async function withinRequest<Result>(
  request: FastifyRequest,
  reply: FastifyReply,
  handlerTimeoutMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const ending = new AbortController();
  const end = (): void => ending.abort();
  const timer = setTimeout(
    () => ending.abort(overloaded()),
    Math.max(0, handlerTimeoutMs - closingMs - reply.elapsedTime),
  );
  request.signal.addEventListener('abort', end, { once: true });
  try {
    return await withinScope({ signal: ending.signal, isExpensive: false }, work);
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener('abort', end);
  }
}
