import type { Headers } from './client.ts';

/**
 * Longest wait that a host is believed, because one answered `Retry-After: 99999999999`, which is 3,170 years.
 *
 * No host documents a longer window. GitHub's primary limits are of an hour, its secondary ones last minutes
 * (https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api). GitLab's are of a minute, or of a period that
 * administrators set, an hour by default (https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/). Gitea has
 * none; proxies before it are believed as far. A host that still refuses after an hour says so again, for one request.
 */
export const longestWaitMs = 3_600_000;
const shortestWaitMs = 1000;

/** Returns the time that a host named, or the latest that is believed. */
export function believable(time: Date, now: Date): Date {
  return new Date(Math.min(time.getTime(), now.getTime() + longestWaitMs));
}

/** Returns a time that a host named to come back, within what is believed and not at once. */
export function waitUntil(time: Date, now: Date): Date {
  return new Date(Math.max(believable(time, now).getTime(), now.getTime() + shortestWaitMs));
}

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3): seconds or an HTTP date.
 * @returns undefined when it is absent or neither of the two, as a negative number.
 */
export function readRetryAfter(headers: Headers, now: Date): Date | undefined {
  const header = headers['retry-after'];
  if (typeof header !== 'string') return undefined;
  const text = header.trim();
  if (/^\d+$/.test(text)) {
    const waitMs = Math.min(longestWaitMs, Number(text) * 1000);
    return waitUntil(new Date(now.getTime() + waitMs), now);
  }
  // Other texts would be read as dates too: `-5` is a day in May 2001 to the parser.
  const at = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : waitUntil(new Date(at), now);
}
