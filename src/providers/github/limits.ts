import type { LimitReport, Resource } from './budget.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Reads what every answer says about the limits; undefined when it says nothing. */
export function limitReport(headers: Headers, asked: Resource): LimitReport | undefined {
  const limit = numberOf(headers['x-ratelimit-limit']);
  const remaining = numberOf(headers['x-ratelimit-remaining']);
  const reset = numberOf(headers['x-ratelimit-reset']);
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
  const named = headers['x-ratelimit-resource'];
  const resource = named === 'core' || named === 'graphql' || named === 'search' ? named : asked;
  return { resource, limit, remaining, resetAt: new Date(reset * 1000) };
}

/**
 * Whether an answer refuses because too much was asked: the primary limit (nothing remains) or a secondary one
 * (`retry-after`, or in words), as 403 or 429.
 */
export function isLimited(status: number, headers: Headers, text: string): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  const isUsedUp = numberOf(headers['x-ratelimit-remaining']) === 0;
  return isUsedUp || headers['retry-after'] !== undefined || /rate limit|abuse detection/i.test(text.slice(0, 10_000));
}

/** When to come back: `retry-after`, else the reset of what is used up; undefined when GitHub does not say. */
export function retryTime(headers: Headers, now: Date): Date | undefined {
  const afterS = numberOf(headers['retry-after']);
  if (afterS !== undefined) return new Date(now.getTime() + Math.max(1, afterS) * 1000);
  const reset = numberOf(headers['x-ratelimit-reset']);
  const isUsedUp = numberOf(headers['x-ratelimit-remaining']) === 0;
  return isUsedUp && reset !== undefined ? new Date(Math.max(reset * 1000, now.getTime() + 1000)) : undefined;
}

function numberOf(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,12}$/.test(header) ? Number(header) : undefined;
}
