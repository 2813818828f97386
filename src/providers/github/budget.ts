import { AppError } from '../../errors.ts';
import type { Call } from '../provider.ts';
import { fingerprint, fixedSecret, type Secret } from './secret.ts';

/** The resources that GitHub limits separately. */
export type Resource = 'graphql' | 'core' | 'search';

/** The remaining quota of a resource, from the last response. */
interface Allowance {
  limit: number;
  remaining: number;
  resetAt: Date;
}

/** The quota of a resource in the headers of a response. */
export interface LimitReport {
  resource: Resource;
  limit: number;
  remaining: number;
  resetAt: Date;
}

/** GitHub allows 100 concurrent requests with a token, which other nodes may use as well. */
const maxAtOnce = { all: 50, background: 40 };
/** The points a minute for background work, of 2,000 GraphQL and 900 REST points that GitHub allows. */
const maxBackgroundPerMinute: Record<Resource, number> = { graphql: 1000, core: 450, search: 15 };
/** The share of the quota that background work leaves to interactive requests. */
const reservedShare = 0.1;
const minuteMs = 60_000;
/** The longest backoff when GitHub names no time: it begins at a minute and doubles each time. */
const maxPenaltyMs = 3_600_000;
const refusedForMs = 600_000;
const freeSlotPollMs = 50;

/** The credential name of requests without a credential. */
export const anonymousAccess = '';
/** The scopes with which a calendar may count private contributions that other accounts do not see. */
const revealingScopes: ReadonlySet<string> = new Set(['repo', 'user', 'read:user']);

/** A credential with its remaining quota: a token, no token, or the changing tokens of an installation. */
export class Token {
  /** Undefined: requests are sent without a credential. */
  readonly secret: Secret | undefined;
  /** The name for people, which never holds the token itself. */
  readonly label: string;
  /** The name in stored data that the token shows, which reveals nothing of the token. Empty: there is no token. */
  readonly access: string;
  /**
   * The id of the account whose private data an installation shows; undefined: the token shows what its bearer sees.
   */
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

  /** True when the token is known to see public data only. */
  get seesOnlyPublic(): boolean {
    return this.secret === undefined || (this.scopes !== undefined && !this.scopes.includes('repo'));
  }

  /**
   * True when the calendars that the token shows are known to be the public ones. With `user` or `read:user` GitHub
   * counts the bearer's own private contributions (https://github.com/orgs/community/discussions/24812).
   */
  get showsPublicCalendars(): boolean {
    return this.scopes !== undefined && !this.scopes.some((scope) => revealingScopes.has(scope));
  }

  /** True when a first request may reveal the token's scopes. Tokens of installations have none. */
  get mayTellScopes(): boolean {
    return this.secret !== undefined && this.account === undefined && !this.#hasAnswered;
  }

  /**
   * The scopes of a classic token; undefined: GitHub names none. A token without `repo` sees public repositories only.
   */
  get scopes(): readonly string[] | undefined {
    return this.#scopes;
  }

  /** @param header the value of `x-oauth-scopes` in a response to the token; undefined: there is none. */
  learnScopes(header: string | undefined): void {
    this.#hasAnswered = true;
    if (header !== undefined) this.#scopes = header.split(',').map((scope) => scope.trim());
  }

  /** Returns the earliest time when a request may be sent. */
  freeAt(resource: Resource, urgency: Call['urgency'], now: Date): Date {
    const allowance = this.#allowances.get(resource);
    const isUsedUp =
      allowance !== undefined && allowance.resetAt > now && allowance.remaining <= this.#reserve(allowance, urgency);
    return latest(this.#blockedUntil, isUsedUp ? allowance.resetAt : now, this.#paceAt(resource, urgency, now));
  }

  /** Returns the remaining share of the quota; 1 before the first request. */
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
    // A running request counts as one until its response shows the real cost.
    if (allowance !== undefined) allowance.remaining -= 1;
  }

  release(): void {
    this.#inFlight -= 1;
  }

  learn({ resource, limit, remaining, resetAt }: LimitReport): void {
    const known = this.#allowances.get(resource);
    // Responses may arrive out of order: within one period, the lower number is the newer one.
    const isOvertaken = known?.resetAt.getTime() === resetAt.getTime() && known.remaining < remaining;
    this.#allowances.set(resource, { limit, remaining: isOvertaken ? known.remaining : remaining, resetAt });
  }

  /** Blocks the token after GitHub limited it. @param until the time that GitHub named; undefined: it named none. */
  block(until: Date | undefined, now: Date): Date {
    this.#blockedUntil = latest(this.#blockedUntil, until ?? new Date(now.getTime() + this.#penaltyMs));
    if (until === undefined) this.#penaltyMs = Math.min(this.#penaltyMs * 2, maxPenaltyMs);
    return this.#blockedUntil;
  }

  /**
   * Sets the token aside after GitHub rejected it. It is tried again later, because GitHub may have failed temporarily.
   */
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

/** Chooses the token of each request, so that no token exceeds GitHub's limits and interactive requests come first. */
export class Budget {
  readonly #own: readonly Token[];
  /**
   * For requests without a credential, which have a small quota and succeed where an organization refuses credentials.
   */
  readonly #anonymous = new Token({ secret: undefined, label: 'no token', access: anonymousAccess });
  #granted: readonly Token[] = [];
  readonly #now: () => Date;
  readonly #sleep: (ms: number, signal: AbortSignal) => Promise<void>;

  constructor(
    secrets: readonly string[],
    options: { now: () => Date; sleep: (ms: number, signal: AbortSignal) => Promise<void>; isApp?: boolean },
  ) {
    const own = secrets.map((secret, index) => {
      const label = `token ${index + 1} of ${secrets.length}`;
      return new Token({ secret: fixedSecret(secret), label, access: fingerprint(secret) });
    });
    // An App without tokens uses those of its installations, and must not be treated as anonymous.
    this.#own = own.length === 0 && !options.isApp ? [this.#anonymous] : own;
    this.#now = options.now;
    this.#sleep = options.sleep;
  }

  get tokens(): readonly Token[] {
    return [...this.#own, ...this.#granted];
  }

  /** True when requests are sent without a credential. */
  get isAnonymous(): boolean {
    return this.#own.some(({ secret }) => secret === undefined);
  }

  /** Replaces the tokens that are used in addition to the configured ones. */
  grant(tokens: readonly Token[]): void {
    this.#granted = tokens;
  }

  /**
   * Takes the token with the most quota left; the caller must `release` it. Waits for a free slot, but not for the
   * reset of a quota.
   * @throws AppError `provider_rate_limited` with the time when a token can be used again, or `provider_denied` when
   * GitHub accepts none of them.
   */
  async acquire(resource: Resource, { urgency, signal, access }: Call): Promise<Token> {
    const allowed =
      access === anonymousAccess
        ? [this.#anonymous]
        : this.tokens.filter((token) => access === undefined || token.access === access);
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
