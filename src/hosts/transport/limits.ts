import type { Urgency } from '../interface/call.ts';
import type { Headers } from './http-transport.ts';

/** The number of requests that a host permits until its limit resets, as it states in a response. */
export interface LimitReport {
  limit: number;
  remaining: number;
  resetAt: Date;
}

/**
 * The share of the quota that calls of each urgency leave to more urgent ones. Visitors cannot use up what refreshes
 * and installed repositories need, and first reads, which may cost any number of requests, leave a part to all others.
 */
const reservedShares: Record<Urgency, number> = { owner: 0, background: 0.1, interactive: 0.3, bulk: 0.5 };

/** The remaining quota of one credential for one resource of a host. Before the first report it is unlimited. */
export class Quota {
  #report: LimitReport | undefined;

  /** The last report, minus the requests since then. */
  get report(): LimitReport | undefined {
    return this.#report;
  }

  /** Returns the limit and the number of requests that remain; undefined before the first report. */
  remaining(now: Date): Pick<LimitReport, 'limit' | 'remaining'> | undefined {
    if (this.#report === undefined) return undefined;
    const { limit, remaining, resetAt } = this.#report;
    return { limit, remaining: resetAt <= now ? limit : Math.max(0, remaining) };
  }

  update({ limit, remaining, resetAt }: LimitReport): void {
    const known = this.#report;
    // Responses may arrive out of order: within one period, the lower number is the newer one.
    const isOvertaken = known?.resetAt.getTime() === resetAt.getTime() && known.remaining < remaining;
    this.#report = { limit, remaining: isOvertaken ? known.remaining : remaining, resetAt };
  }

  /** Counts a request as one until its response shows the real cost. */
  take(): void {
    if (this.#report !== undefined) this.#report.remaining -= 1;
  }

  /** Returns the time of the next request; undefined: now. */
  usedUpUntil(urgency: Urgency, now: Date): Date | undefined {
    if (this.#report === undefined || this.#report.resetAt <= now) return undefined;
    const { limit, remaining, resetAt } = this.#report;
    return remaining <= Math.floor(limit * reservedShares[urgency]) ? resetAt : undefined;
  }

  /** Returns the share of the quota that is left; 1 where no report applies. */
  share(now: Date): number {
    if (this.#report === undefined || this.#report.resetAt <= now) return 1;
    return this.#report.remaining / Math.max(1, this.#report.limit);
  }
}

/**
 * The longest wait that is accepted from a host, in ms. A host once sent `Retry-After: 99999999999`, which is 3,170
 * years.
 *
 * No host documents a longer window. GitHub's primary limits reset every hour, its secondary ones last minutes
 * (https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api). GitLab's windows are a minute, or a
 * period that administrators set, an hour by default
 * (https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/). Gitea has none; the same bound applies to
 * proxies in front of it. Finding out that a host still refuses after an hour costs one request.
 */
export const longestWaitMs = 3_600_000;
const shortestWaitMs = 1000;

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

/** Returns the time that a host named, or the latest time that is accepted. */
export function believable(time: Date, now: Date): Date {
  return new Date(Math.min(time.getTime(), now.getTime() + longestWaitMs));
}

/** Returns the time of the next request that a host named, at least a second and at most an hour from now. */
export function waitUntil(time: Date, now: Date): Date {
  return new Date(Math.max(believable(time, now).getTime(), now.getTime() + shortestWaitMs));
}

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3): seconds or an HTTP date.
 * @returns undefined when it is absent or neither of the two, such as a negative number.
 */
export function readRetryAfter(headers: Headers, now: Date): Date | undefined {
  const header = headers['retry-after'];
  if (typeof header !== 'string') return undefined;
  const text = header.trim();
  if (/^\d+$/.test(text)) {
    const waitMs = Math.min(longestWaitMs, Number(text) * 1000);
    return waitUntil(new Date(now.getTime() + waitMs), now);
  }
  // `Date.parse` also takes other texts for dates: it reads `-5` as a day in May 2001.
  const at = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : waitUntil(new Date(at), now);
}
