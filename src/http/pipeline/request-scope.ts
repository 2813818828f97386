import type { FastifyReply, FastifyRequest } from 'fastify';
import { overloaded } from '../../database/reads/slots.ts';
import { currentScope, type Reads, withinScope } from '../../database/reads/statement-scope.ts';
import { AppError } from '../../model/errors.ts';
import type { Computations } from './computations.ts';
import type { MovedRepository } from './endpoint.ts';
import type { RenderedResponse } from './response.ts';

/** The result of loading and rendering a response: undefined while nothing is known yet. */
type MadeResponse = { response: RenderedResponse; isCacheable: boolean } | MovedRepository | undefined;

/** A response that is the same for all visitors. */
interface VisitorsResponse {
  accountId: string;
  /** The key of the response in the response cache. */
  key: string;
  /** The result of the cache's `begin` before the account was read. */
  startSequence: number;
}

/** The time, in ms, before a response's time limit at which its statements end, so that an error can still be sent. */
const closingMs = 500;

interface RequestTerms {
  handlerTimeoutMs: number;
  reads: Reads;
}

/** How data is read that the replica may not have yet. */
interface Reading<Result> {
  read: () => Promise<Result>;
  /**
   * Returns false when the primary may have more: changes that are not announced, such as the first fetch of an account,
   * may not have reached the replica yet.
   */
  suffices: (result: Result) => boolean;
}

/** Reads data for a response, as `readFromReplicaFirst` does. */
export async function readFor<Result>(
  request: FastifyRequest,
  reply: FastifyReply,
  terms: RequestTerms,
  reading: Reading<Result>,
): Promise<Result> {
  return withinRequest(request, reply, terms, () => readFromReplicaFirst(reading));
}

/**
 * Reads data in the current scope. When a result of the replica does not suffice, or the read fails because of the data,
 * it is read again from the primary, and so are all later reads of the scope.
 */
export async function readFromReplicaFirst<Result>({ read, suffices }: Reading<Result>): Promise<Result> {
  const reads = currentScope()?.reads;
  if (reads?.fromReplica === true) {
    try {
      const result = await read();
      if (suffices(result) || !reads.fromReplica) return result;
    } catch (error) {
      if (!reads.fromReplica || !dependsOnData(error)) throw error;
    }
    reads.fromReplica = false;
  }
  return read();
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

/**
 * Makes the response to a request. Requests that want the same response for visitors at the same time make it once,
 * which goes on until the last of them has ended, and a failure is the failure of all. Only what the response cache would
 * take is shared. All else depends on the request, such as its allowance of lookups, or on other accounts: each request
 * then makes it.
 * @param visitors undefined: the response is for this request alone.
 */
export async function makeResponse(
  { computations }: { computations: Computations },
  { request, reply, terms }: { request: FastifyRequest; reply: FastifyReply; terms: RequestTerms },
  visitors: VisitorsResponse | undefined,
  make: () => Promise<MadeResponse>,
): Promise<MadeResponse> {
  return withinRequest(request, reply, terms, async () => {
    if (visitors === undefined) return make();
    let isOwn = false;
    const made = await computations.shareResponse(visitors, () => {
      isOwn = true;
      return make();
    });
    return isOwn || (made !== undefined && 'response' in made && made.isCacheable) ? made : make();
  });
}
