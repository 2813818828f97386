import { AppError } from '../../errors.ts';
import type { Call } from '../provider.ts';
import { fingerprint, fixedSecret, type Secret } from './secret.ts';

/** What GitHub limits apart from each other. */
export type Resource = 'graphql' | 'core' | 'search';

/** What is left of one resource, as the last answer told. */
interface Allowance {
  limit: number;
  remaining: number;
  resetAt: Date;
}

/** What an answer's headers said about the limits. */
export interface LimitReport {
  resource: Resource;
  limit: number;
  remaining: number;
  resetAt: Date;
}

/** GitHub allows 100 requests at once; other nodes may use the same token. */
const maxAtOnce = { all: 50, background: 40 };
/** Of 2,000 GraphQL and 900 REST points a minute, what background work may use. */
const maxBackgroundPerMinute: Record<Resource, number> = { graphql: 1000, core: 450, search: 15 };
/** Background work leaves this share of what is allowed to those who wait. */
const reservedShare = 0.1;
const minuteMs = 60_000;
/** Without any word from GitHub: a minute, then twice as long each time, at most this. */
const maxPenaltyMs = 3_600_000;
const refusedForMs = 600_000;
const freeSlotPollMs = 50;
/** With one of these, a calendar may count private contributions that nobody else sees. */
const revealingScopes: ReadonlySet<string> = new Set(['repo', 'user', 'read:user']);

/** One token, or none, or the tokens that one after the other stand for an installation; and what may still be spent. */
export class Token {
  /** Undefined: it is asked without one. */
  readonly secret: Secret | undefined;
  /** For people: never the token itself. */
  readonly label: string;
  /** Tells tokens apart where it is stored what each shows; says nothing of the token. Empty: there is none. */
  readonly access: string;
  /** Id of the one account of which it shows what is private; undefined: whatever its bearer sees. */
  readonly account: string | undefined;
  readonly #allowances = new Map<Resource, Allowance>();
  readonly #recent: Record<Resource, number[]> = { graphql: [], core: [], search: [] };
  #blockedUntil = new Date(0);
  #penaltyMs = minuteMs;
  #inFlight = 0;
  #refusedUntil = new Date(0);
  #scopes: readonly string[] | undefined;
  #hasAnswered = false;

  constructor(options: { secret: Secret | undefined; label: string; access: string; account?: string }) {
    this.secret = options.secret;
    this.label = options.label;
    this.access = options.access;
    this.account = options.account;
  }

  /** Whether everything that it sees is public. */
  get seesOnlyPublic(): boolean {
    return this.secret === undefined || (this.scopes !== undefined && !this.scopes.includes('repo'));
  }

  /**
   * Whether calendars that it shows are known to be those that everybody sees. With `user` or `read:user` GitHub counts the
   * bearer's own private contributions (https://github.com/orgs/community/discussions/24812).
   */
  get showsPublicCalendars(): boolean {
    return this.scopes !== undefined && !this.scopes.some((scope) => revealingScopes.has(scope));
  }

  /** Whether its scopes are not known only because it was not used so far. Tokens of installations have none. */
  get mayTellScopes(): boolean {
    return this.secret !== undefined && this.account === undefined && !this.#hasAnswered;
  }

  /** Its scopes, where GitHub names them, as it does for classic tokens; without `repo` it sees public repositories only. */
  get scopes(): readonly string[] | undefined {
    return this.#scopes;
  }

  /** @param header value of `x-oauth-scopes` in a response to it; undefined: there is none. */
  learnScopes(header: string | undefined): void {
    this.#hasAnswered = true;
    if (header !== undefined) this.#scopes = header.split(',').map((scope) => scope.trim());
  }

  /** When a request may be sent, at the earliest. */
  freeAt(resource: Resource, urgency: Call['urgency'], now: Date): Date {
    const allowance = this.#allowances.get(resource);
    const isUsedUp =
      allowance !== undefined && allowance.resetAt > now && allowance.remaining <= this.#reserve(allowance, urgency);
    return latest(this.#blockedUntil, isUsedUp ? allowance.resetAt : now, this.#paceAt(resource, urgency, now));
  }

  /** Of what is allowed, how much is left: 1 when nothing was ever sent. */
  share(resource: Resource, now: Date): number {
    const allowance = this.#allowances.get(resource);
    if (allowance === undefined || allowance.resetAt <= now) return 1;
    return (allowance.remaining - this.#inFlight) / Math.max(1, allowance.limit);
  }

  hasSlot(urgency: Call['urgency']): boolean {
    return this.#inFlight < (urgency === 'background' ? maxAtOnce.background : maxAtOnce.all);
  }

  remaining(resource: Resource): Allowance | undefined {
    return this.#allowances.get(resource);
  }

  take(resource: Resource, now: Date): void {
    this.#inFlight += 1;
    this.#recent[resource].push(now.getTime());
    const allowance = this.#allowances.get(resource);
    // Requests under way are counted at once; what they really cost comes with their answers.
    if (allowance !== undefined) allowance.remaining -= 1;
  }

  release(): void {
    this.#inFlight -= 1;
  }

  learn({ resource, limit, remaining, resetAt }: LimitReport): void {
    const known = this.#allowances.get(resource);
    // Answers overtake each other: within one period, less is newer.
    const isOvertaken = known?.resetAt.getTime() === resetAt.getTime() && known.remaining < remaining;
    this.#allowances.set(resource, { limit, remaining: isOvertaken ? known.remaining : remaining, resetAt });
  }

  /** After a refusal for having asked too much. @param until when GitHub said to come back, if it did. */
  block(until: Date | undefined, now: Date): Date {
    this.#blockedUntil = latest(this.#blockedUntil, until ?? new Date(now.getTime() + this.#penaltyMs));
    if (until === undefined) this.#penaltyMs = Math.min(this.#penaltyMs * 2, maxPenaltyMs);
    return this.#blockedUntil;
  }

  /** GitHub does not take it; it is tried again later, for that may be a passing trouble of GitHub's. */
  refuse(now: Date): void {
    this.#refusedUntil = new Date(now.getTime() + refusedForMs);
  }

  isRefused(now: Date): boolean {
    return this.#refusedUntil > now;
  }

  forgivePenalty(): void {
    this.#penaltyMs = minuteMs;
  }

  #reserve(allowance: Allowance, urgency: Call['urgency']): number {
    return urgency === 'background' ? Math.ceil(allowance.limit * reservedShare) : 0;
  }

  #paceAt(resource: Resource, urgency: Call['urgency'], now: Date): Date {
    const recent = this.#recent[resource];
    while (recent[0] !== undefined && recent[0] <= now.getTime() - minuteMs) recent.shift();
    const first = recent[recent.length - maxBackgroundPerMinute[resource]];
    return urgency === 'background' && first !== undefined ? new Date(first + minuteMs) : now;
  }
}

/** Gives out tokens so that none is asked for more than GitHub allows, and those who wait come first. */
export class Budget {
  readonly #own: readonly Token[];
  #granted: readonly Token[] = [];
  readonly #now: () => Date;
  readonly #sleep: (ms: number, signal: AbortSignal) => Promise<void>;

  constructor(
    secrets: readonly string[],
    options: { now: () => Date; sleep: (ms: number, signal: AbortSignal) => Promise<void>; isApp?: boolean },
  ) {
    const anonymous = new Token({ secret: undefined, label: 'no token', access: '' });
    const own = secrets.map((secret, index) => {
      const label = `token ${index + 1} of ${secrets.length}`;
      return new Token({ secret: fixedSecret(secret), label, access: fingerprint(secret) });
    });
    // An app asks by its installations, and speaks another part of the interface than those who have nothing.
    this.#own = own.length === 0 && !options.isApp ? [anonymous] : own;
    this.#now = options.now;
    this.#sleep = options.sleep;
  }

  get tokens(): readonly Token[] {
    return [...this.#own, ...this.#granted];
  }

  /** Whether there is nothing but what everybody may ask for. */
  get isAnonymous(): boolean {
    return this.#own.some(({ secret }) => secret === undefined);
  }

  /** From now on these may be spent besides the configured ones, and those that were granted before no more. */
  grant(tokens: readonly Token[]): void {
    this.#granted = tokens;
  }

  /**
   * Takes the token that has most left; the caller must `release` it. Waits for a free slot, but not for a budget to
   * fill again.
   * @throws AppError `provider_rate_limited` with the time when a token can be used again, or `provider_denied` when
   * GitHub takes none of them.
   */
  async acquire(resource: Resource, { urgency, signal, access }: Call): Promise<Token> {
    const allowed = this.tokens.filter((token) => access === undefined || token.access === access);
    if (allowed.length === 0 && access === undefined) throw notInstalled();
    for (;;) {
      signal.throwIfAborted();
      const now = this.#now();
      const accepted = allowed.filter((token) => !token.isRefused(now));
      if (accepted.length === 0) throw new AppError('provider_denied', 'GitHub does not accept the configured token.');
      const usable = accepted.filter((token) => token.freeAt(resource, urgency, now) <= now);
      const best = usable
        .filter((token) => token.hasSlot(urgency))
        .toSorted((one, other) => other.share(resource, now) - one.share(resource, now))[0];
      if (best !== undefined) {
        best.take(resource, now);
        return best;
      }
      if (usable.length === 0) throw usedUp(accepted.map((token) => token.freeAt(resource, urgency, now)));
      await this.#sleep(freeSlotPollMs, signal);
    }
  }
}

function notInstalled(): AppError {
  return new AppError('provider_denied', 'The GitHub App is installed nowhere yet; install it, or set GITHUB_TOKEN.');
}

export function usedUp(freeAt: readonly Date[]): AppError {
  const retryAt = new Date(Math.min(...freeAt.map((time) => time.getTime())));
  return new AppError('provider_rate_limited', "GitHub's request budget is used up for now.", { retryAt });
}

function latest(...times: Date[]): Date {
  return new Date(Math.max(...times.map((time) => time.getTime())));
}
