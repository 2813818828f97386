import type { Fault, FaultKind } from './faults.ts';
import { somethingWentWrong } from './graphql/field-errors.ts';
import type { Resource } from './limits.ts';

/** Refusals and failures of GitHub. */

/** A response before it is sent. */
export interface Reply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
  /**
   * The route as the description writes it, or the name of the GraphQL operation; absent: the response is not
   * rewritten.
   */
  operation?: string;
}

const unicorn = '<html><head><title>502 Bad Gateway</title></head><body>Unicorn!</body></html>';
const hugeLength = 40 * 1024 * 1024;

/** Returns the response that a fault sends in place of the real one, if it sends one. */
export function faultReply(fault: Fault | undefined, resource: Resource): Reply | undefined {
  if (fault === undefined) return undefined;
  const { retryAfterS, resetS, location = 'http://127.0.0.1:9/' } = fault;
  const replies: Partial<Record<FaultKind, () => Reply>> = {
    bad_gateway: () => badGateway(502),
    unavailable: () => badGateway(503),
    gateway_timeout: () => badGateway(504),
    primary_limit: () => primaryLimitReply(403, retryAfterS, resetS),
    primary_limit_429: () => primaryLimitReply(429, retryAfterS, resetS),
    primary_limit_in_200: () =>
      resource === 'graphql' ? { status: 200, body: rateLimitBody('API rate limit exceeded') } : primaryLimitReply(403),
    secondary_limit: () => secondaryLimitReply(retryAfterS ?? 60),
    secondary_limit_without_time: () => secondaryLimitReply(undefined),
    secondary_limit_in_200: () => ({
      status: 200,
      body: { errors: [{ message: 'You have exceeded a secondary rate limit.' }] },
    }),
    timeout_in_200: () => ({ status: 200, body: { data: null, errors: [{ message: somethingWentWrong }] } }),
    internal_in_200: () => ({
      status: 200,
      body: { data: null, errors: [{ type: 'INTERNAL', message: somethingWentWrong }] },
    }),
    redirect: () => ({ status: 302, body: {}, headers: { location } }),
    error_in_200: () => ({ status: 200, body: { message: 'Bad credentials', status: '401' } }),
    malformed: () => ({ status: 200, body: '{"data": {"account": ' }),
    huge: () => ({ status: 200, body: `{"data": "${'x'.repeat(hugeLength)}"}` }),
  };
  return replies[fault.kind]?.();
}

export function badGateway(status: number): Reply {
  return { status, body: unicorn };
}

export function resourceLimits(data: unknown): Reply {
  const errors = [{ type: 'RESOURCE_LIMITS_EXCEEDED', message: 'Resource limits for this query exceeded.' }];
  return { status: 200, body: { data, errors } };
}

export function rateLimitBody(message: string): object {
  return { errors: [{ type: 'RATE_LIMITED', message }] };
}

export function primaryLimitReply(status: number, retryAfterS?: number | string, resetS?: number): Reply {
  return {
    status,
    body: { message: 'API rate limit exceeded for user.' },
    headers: {
      'x-ratelimit-remaining': '0',
      ...(retryAfterS !== undefined && { 'retry-after': String(retryAfterS) }),
      ...(resetS !== undefined && { 'x-ratelimit-reset': String(resetS) }),
    },
  };
}

export function secondaryLimitReply(retryAfterS: number | string | undefined): Reply {
  return {
    status: 403,
    body: { message: 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.' },
    ...(retryAfterS !== undefined && { headers: { 'retry-after': String(retryAfterS) } }),
  };
}
