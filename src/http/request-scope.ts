import type { FastifyReply, FastifyRequest } from 'fastify';
import { overloaded } from '../database/slots.ts';
import { type Reads, withinScope } from '../database/statement-scope.ts';
import { AppError } from '../errors.ts';

/** The time, in ms, before the time limit of a response at which its statements end, so that it can still say why. */
const closingMs = 500;

interface RequestTerms {
  handlerTimeoutMs: number;
  reads: Reads;
}

/**
 * Reads for a response. Where the replica gives less than a whole result, the primary may have it, so it is read again.
 * @param isWhole returns false when changes that are not announced, such as the first fetch of an account, can add to it.
 */
export async function readFor<Result>(
  request: FastifyRequest,
  reply: FastifyReply,
  terms: RequestTerms,
  { read, isWhole }: { read: () => Promise<Result>; isWhole: (result: Result) => boolean },
): Promise<Result> {
  const { reads } = terms;
  if (reads.fromReplica) {
    try {
      const result = await withinRequest(request, reply, terms, read);
      if (isWhole(result) || !reads.fromReplica) return result;
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
