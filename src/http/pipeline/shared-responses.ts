import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Computations } from './computations.ts';
import type { MovedRepository } from './endpoint.ts';
import { type RequestTerms, withinRequest } from './request-scope.ts';
import type { RenderedResponse } from './response.ts';

/** The result of loading and rendering a response: undefined while nothing is known yet. */
export type MadeResponse = { response: RenderedResponse; isCacheable: boolean } | MovedRepository | undefined;

/** A response that is the same for all visitors. */
export interface VisitorsResponse {
  accountId: string;
  /** The key of the response in the response cache. */
  key: string;
  /** The result of the cache's `begin` before the account was read. */
  startSequence: number;
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
