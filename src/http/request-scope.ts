import type { FastifyReply, FastifyRequest } from 'fastify';
import { overloaded } from '../database/slots.ts';
import { type Reads, withinScope } from '../database/statement-scope.ts';
import { AppError } from '../errors.ts';

/** The time, in ms, before a response's time limit at which its statements end, so that an error can still be sent. */
const closingMs = 500;

interface RequestTerms {
  handlerTimeoutMs: number;
  reads: Reads;
}

/**
 * Reads data for a response. When a result of the replica does not suffice, or the read fails because of the data, it
 * is read again from the primary, and so are all later reads with these terms.
 * @param suffices returns false when the primary may have more: changes that are not announced, such as the first fetch
 * of an account, may not have reached the replica yet.
 */
export async function readFor<Result>(
  request: FastifyRequest,
  reply: FastifyReply,
  terms: RequestTerms,
  { read, suffices }: { read: () => Promise<Result>; suffices: (result: Result) => boolean },
): Promise<Result> {
  const { reads } = terms;
  if (reads.fromReplica) {
    try {
      const result = await withinRequest(request, reply, terms, read);
      if (suffices(result) || !reads.fromReplica) return result;
    } catch (error) {
      if (!reads.fromReplica || !dependsOnData(error)) throw error;
    }
    reads.fromReplica = false;
  }
  return withinRequest(request, reply, terms, read);
}

function dependsOnData(error: unknown): boolean {
  return error instanceof AppError && error.code !== 'overloaded' && error.code !== 'too_slow';
}

/** Runs work for a response. Its statements end with the client's connection, and before the response's time limit. */
async function withinRequest<Result>(
  request: FastifyRequest,
  reply: FastifyReply,
  { handlerTimeoutMs, reads }: RequestTerms,
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
    return await withinScope({ signal: ending.signal, isExpensive: false, reads }, work);
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener('abort', end);
  }
}
