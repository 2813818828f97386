import { createHash } from 'node:crypto';
import { AppError } from '../../errors.ts';
import type { Call } from '../call.ts';
import { believable } from '../http/retry-after.ts';
import type { LimitReport } from './dialect.ts';

/** Such hosts are often small machines: few requests at once are polite. */
const maxAtOnce = { all: 6, background: 3 };
/** Without any word: a minute, then twice as long each time, at most this. */
const firstPenaltyMs = 60_000;
const maxPenaltyMs = 3_600_000;
const refusedForMs = 600_000;
const freeSlotPollMs = 20;
/** Of what a host says that may be asked, background work leaves this part to those who wait. */
const keptForInteractive = 0.1;

/** One token, or none. */
export interface Token {
  readonly secret: string | undefined;
  /** Tells tokens apart where it is stored what each shows; says nothing of the token. Empty: there is none. */
  readonly access: string;
}

export const noToken: Token = { secret: undefined, access: '' };

/** Lets few requests go at once, those that somebody waits for first, and none while the host wants to be left alone. */
export class Pace {
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
   * Waits for its turn and takes a token; the caller must `release` the turn.
   * @throws AppError `provider_rate_limited` with the time when the host can be asked again, or `provider_denied` when it
   * takes none of the tokens.
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
   * After a refusal for having asked too much. Where there are tokens, whoever asks without one is counted apart.
   * @param until when the host said to come back, if it did.
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

  /** What the host last said of how much may still be asked with a token. */
  learn(token: Token, report: LimitReport): void {
    this.#reports.set(token, { ...report, resetAt: believable(report.resetAt, this.#now()) });
  }

  /** The host does not take it; it is tried again later, for that may be a passing trouble of the host's. */
  refuse(token: Token): void {
    this.#refusedUntil.set(token, new Date(this.#now().getTime() + refusedForMs));
  }

  /** The first that the host takes and with which something may still be asked. */
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

  /** Until when nothing may be asked with a token; undefined: now it may. */
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
