import type { Urgency } from '../interface/call.ts';

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
