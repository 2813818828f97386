import { createHash } from 'node:crypto';
import { AppError } from '../../errors.ts';
import type { Call } from '../call.ts';
import { believable } from '../http/retry-after.ts';
import type { LimitReport } from './dialect.ts';

/** The most requests in flight. It is low, because self-hosted code hosts are often small machines. */
const maxAtOnce = { all: 6, background: 3 };
/** The wait after a refusal that names no time: a minute, then twice the last wait, at most `maxPenaltyMs`. */
const firstPenaltyMs = 60_000;
const maxPenaltyMs = 3_600_000;
const refusedForMs = 600_000;
const freeSlotPollMs = 20;
/** The part of the host's rate limit that background work leaves to interactive requests. */
const keptForInteractive = 0.1;

/** A token, or its absence. */
export interface Token {
  readonly secret: string | undefined;
  /**
   * The name of the token in stored data about its view; it reveals nothing of the secret. Empty: there is no token.
   */
  readonly access: string;
}

export const noToken: Token = { secret: undefined, access: '' };

/** Limits the requests in flight, prefers interactive ones, and sends none while the host limits the rate. */
export class RequestScheduler {
  readonly tokens: readonly Token[];
  readonly #now: () => Date;
  readonly #sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly #refusedUntil = new Map<Token, Date>();
  readonly #reports = new Map<Token, LimitReport>();
  #inFlight = 0;
  #blockedUntil = new Date(0);
  #penaltyMs = firstPenaltyMs;

  constructor(
    secrets: readonly string[],
    options: { now: () => Date; sleep: (ms: number, signal: AbortSignal) => Promise<void> },
  ) {
    this.tokens = secrets.map((secret) => ({
      secret,
      access: createHash('sha256').update(secret).digest('hex').slice(0, 16),
    }));
    this.#now = options.now;
    this.#sleep = options.sleep;
  }

  /**
   * Waits for a free slot and chooses a token; the caller must `release` the slot.
   * @throws AppError `provider_rate_limited` with the time of the next possible request, or `provider_denied` when the
   * host accepts none of the tokens.
   */
  async acquire({ urgency, signal, access }: Call, isAnonymous: boolean): Promise<Token> {
    for (;;) {
      signal.throwIfAborted();
      if (this.#blockedUntil > this.#now()) throw limited(this.#blockedUntil);
      const token = isAnonymous ? noToken : this.#choose(access, urgency);
      this.#spare(token, urgency);
      if (this.#inFlight < (urgency === 'background' ? maxAtOnce.background : maxAtOnce.all)) {
        this.#inFlight += 1;
        return token;
      }
      await this.#sleep(freeSlotPollMs, signal);
    }
  }

  release(): void {
    this.#inFlight -= 1;
  }

  /**
   * Blocks requests after the host limited their rate. Where tokens are configured, a refused request without a
   * token blocks only requests without one.
   * @param until the time of the next request that the host named, if it named one.
   */
  block(token: Token, until: Date | undefined): void {
    const resetAt = until ?? new Date(this.#now().getTime() + this.#penaltyMs);
    if (until === undefined) this.#penaltyMs = Math.min(this.#penaltyMs * 2, maxPenaltyMs);
    if (token === noToken && this.tokens.length > 0) this.learn(token, { limit: 0, remaining: 0, resetAt });
    else this.#blockedUntil = resetAt;
  }

  forgivePenalty(): void {
    this.#penaltyMs = firstPenaltyMs;
  }

  /** Stores the rate limit that the host last reported for a token. */
  learn(token: Token, report: LimitReport): void {
    this.#reports.set(token, { ...report, resetAt: believable(report.resetAt, this.#now()) });
  }

  /** Sets a token aside that the host refused. It is tried again later, because the host's trouble may be temporary. */
  refuse(token: Token): void {
    this.#refusedUntil.set(token, new Date(this.#now().getTime() + refusedForMs));
  }

  /** Returns the first token that the host accepts and that has requests left. @throws AppError `provider_denied` */
  #choose(access: string | undefined, urgency: Call['urgency']): Token {
    if (this.tokens.length === 0 && access === undefined) return noToken;
    const now = this.#now();
    const accepted = this.tokens.filter(
      (token) =>
        (access === undefined || token.access === access) && (this.#refusedUntil.get(token) ?? new Date(0)) <= now,
    );
    const chosen = accepted.find((token) => this.#spentUntil(token, urgency) === undefined) ?? accepted[0];
    if (chosen !== undefined) return chosen;
    throw new AppError('provider_denied', 'The code host does not accept the configured token.');
  }

  #spare(token: Token, urgency: Call['urgency']): void {
    const until = this.#spentUntil(token, urgency);
    if (until !== undefined) throw limited(until);
  }

  /** Returns the time until which a token may not be used; undefined: it may be used now. */
  #spentUntil(token: Token, urgency: Call['urgency']): Date | undefined {
    const report = this.#reports.get(token);
    if (report === undefined || report.resetAt <= this.#now()) return undefined;
    const kept = urgency === 'background' ? Math.floor(report.limit * keptForInteractive) : 0;
    return report.remaining <= kept ? report.resetAt : undefined;
  }
}

export function limited(retryAt: Date): AppError {
  return new AppError('provider_rate_limited', 'The code host wants to be asked less for now.', { retryAt });
}
