import type { Headers } from './http-transport.ts';
import type { LimitReport } from './quota.ts';

/** Reads a number of at most twelve digits; undefined when the header is absent or holds something else. */
export function numberIn(header: Headers[string]): number | undefined {
  return typeof header === 'string' && /^\d{1,12}$/.test(header) ? Number(header) : undefined;
}

/**
 * Reads the quota that a response states.
 * @param prefix of the names of its three headers.
 * @returns undefined when one of them is absent or no number.
 */
export function readLimit(headers: Headers, prefix: 'ratelimit' | 'x-ratelimit'): LimitReport | undefined {
  const limit = numberIn(headers[`${prefix}-limit`]);
  const remaining = numberIn(headers[`${prefix}-remaining`]);
  const reset = numberIn(headers[`${prefix}-reset`]);
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
  return { limit, remaining, resetAt: new Date(reset * 1000) };
}
