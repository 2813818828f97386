import { believable, numberIn, readLimit, readRetryAfter, waitUntil } from '../transport/headers.ts';
import type { Headers } from '../transport/http-transport.ts';
import type { LimitReport } from '../transport/quota.ts';
import type { Resource } from './credentials.ts';

/** Reads the quota from the headers of a response; undefined when there are none. */
export function limitReport(headers: Headers, now: Date): LimitReport | undefined {
  const report = readLimit(headers, 'x-ratelimit');
  return report && { ...report, resetAt: believable(report.resetAt, now) };
}

/** Returns the resource whose quota the headers of a response state; undefined when they name none that is used. */
export function readResource(headers: Headers): Resource | undefined {
  const named = headers['x-ratelimit-resource'];
  return named === 'core' || named === 'graphql' || named === 'search' ? named : undefined;
}

/**
 * Returns whether a response with status 403 or 429 reports a rate limit: the primary one (nothing remains) or a
 * secondary one (`retry-after`, or a message).
 */
export function isLimited(status: number, headers: Headers, text: string): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  const isUsedUp = numberIn(headers['x-ratelimit-remaining']) === 0;
  return isUsedUp || headers['retry-after'] !== undefined || /rate limit|abuse detection/i.test(text.slice(0, 10_000));
}

/**
 * Returns the time to retry: `retry-after`, otherwise the reset of a used-up quota; undefined when GitHub names none.
 */
export function retryTime(headers: Headers, now: Date): Date | undefined {
  const after = readRetryAfter(headers, now);
  if (after !== undefined) return after;
  const reset = numberIn(headers['x-ratelimit-reset']);
  const isUsedUp = numberIn(headers['x-ratelimit-remaining']) === 0;
  return isUsedUp && reset !== undefined ? waitUntil(new Date(reset * 1000), now) : undefined;
}
