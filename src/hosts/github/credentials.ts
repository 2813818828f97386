import type { KeyObject } from 'node:crypto';
import { AppError } from '../../model/errors.ts';
import { type CredentialUse, hasCaller } from '../interface/call.ts';
import type { Call } from '../interface/provider.ts';
import { Credential, fingerprint, fixedSecret, latest, type Secret, Slots } from '../transport/credential.ts';
import type { LimitReport } from '../transport/limits.ts';
import { type Lease, RequestScheduler } from '../transport/request-scheduler.ts';

/** The service's identity as a GitHub App: the App id or the client id, and the private key. */
export interface AppIdentity {
  id: string;
  privateKey: KeyObject;
}

const minuteMs = 60_000;

/** Counts the requests of the last minute. */
class RequestRate {
  readonly #sentAt: number[] = [];

  count(now: Date): void {
    this.#sentAt.push(now.getTime());
  }

  /** Returns the time when fewer requests than `most` were sent in the minute before; undefined: now. */
  exceededUntil(most: number, now: Date): Date | undefined {
    while (this.#sentAt[0] !== undefined && this.#sentAt[0] <= now.getTime() - minuteMs) this.#sentAt.shift();
    const first = this.#sentAt[this.#sentAt.length - most];
    return first === undefined ? undefined : new Date(first + minuteMs);
  }
}

/** The resources that GitHub limits separately. */
export type Resource = 'graphql' | 'core' | 'search';

/**
 * The most concurrent requests with a token: half of the 100 that GitHub allows, because other nodes may use it too.
 */
const slotLimits = { all: 50, background: 40, waiting: 1000 };
/** The most requests a minute for background work. GitHub allows 2,000 points by GraphQL and 900 by REST. */
const maxBackgroundPerMinute: Record<Resource, number> = { graphql: 1000, core: 450, search: 15 };

/** The credential name of requests without a credential. */
export const anonymousCredentialName = '';
/** The scopes with which GitHub may show private contributions in a calendar that other accounts do not see. */
const revealingScopes: ReadonlySet<string> = new Set(['repo', 'user', 'read:user']);

/** A credential with its remaining quota: a token, no token, or the changing tokens of an installation. */
export class Token extends Credential {
  /** The name for people, which never contains the token itself. */
  readonly label: string;
  /**
   * The id of the account whose private data an installation shows; undefined: the token shows what its bearer sees.
   */
  readonly account: string | undefined;
  readonly #rates = { graphql: new RequestRate(), core: new RequestRate(), search: new RequestRate() };
  #scopes: readonly string[] | undefined;
  #hasResponded = false;

  constructor(options: { secret: Secret | undefined; label: string; name: string; account?: string }) {
    super({ ...options, slots: new Slots(slotLimits) });
    this.label = options.label;
    this.account = options.account;
  }

  /** True when the token is known to see only public data. */
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

  /**
   * True while the token's scopes are unknown, because no request was sent with it. Tokens of installations have none.
   */
  get canRevealScopes(): boolean {
    return this.secret !== undefined && this.account === undefined && !this.#hasResponded;
  }

  /**
   * The scopes of a classic token; undefined: GitHub named none. A token without `repo` sees only public repositories.
   */
  get scopes(): readonly string[] | undefined {
    return this.#scopes;
  }

  /** Stores the scopes of the token. @param header `x-oauth-scopes` in a response to it; undefined: there is none. */
  recordScopes(header: string | undefined): void {
    this.#hasResponded = true;
    if (header !== undefined) this.#scopes = header.split(',').map((scope) => scope.trim());
  }

  override freeAt(resource: Resource, urgency: Call['urgency'], now: Date): Date {
    const most = maxBackgroundPerMinute[resource];
    const exceededUntil = hasCaller(urgency) ? undefined : this.#rates[resource].exceededUntil(most, now);
    return latest(super.freeAt(resource, urgency, now), exceededUntil);
  }

  override take(resource: Resource, now: Date): void {
    super.take(resource, now);
    this.#rates[resource].count(now);
  }

  remaining(resource: Resource): LimitReport | undefined {
    return this.quota(resource).report;
  }
}

/** The credentials for GitHub: the configured tokens and the tokens of installations. */
export class Credentials {
  readonly scheduler: RequestScheduler;
  readonly #now: () => Date;
  readonly #configured: readonly Token[];
  /**
   * Stands for no credential. Such requests have a small quota, but succeed where an organization refuses credentials.
   */
  readonly #anonymous = new Token({ secret: undefined, label: 'no token', name: anonymousCredentialName });
  #granted: readonly Token[] = [];

  constructor(secrets: readonly string[], options: { now: () => Date; isApp?: boolean }) {
    const configured = secrets.map((secret, index) => {
      const label = `token ${index + 1} of ${secrets.length}`;
      return new Token({ secret: fixedSecret(secret), label, name: fingerprint(secret) });
    });
    // An App without configured tokens uses the tokens of its installations, and must not send anonymous requests.
    this.#configured = configured.length === 0 && !options.isApp ? [this.#anonymous] : configured;
    this.#now = options.now;
    this.scheduler = new RequestScheduler({ ...options, limited: usedUp, denied: refused });
  }

  get tokens(): readonly Token[] {
    return [...this.#configured, ...this.#granted];
  }

  /** True when requests are sent without a credential. */
  get isAnonymous(): boolean {
    return this.#configured.some(({ secret }) => secret === undefined);
  }

  uses(): CredentialUse[] {
    const now = this.#now();
    return this.tokens.map((token) => ({ kind: toKind(token), ...token.use(now) }));
  }

  /** Replaces the tokens that are used in addition to the configured ones. */
  grant(tokens: readonly Token[]): void {
    this.#granted = tokens;
    this.scheduler.reconsider();
  }

  /**
   * Returns the tokens for a request, the one with the most quota left first.
   * @param credentialName the name of the only token that may be used; undefined: all may be used.
   * @throws AppError `provider_denied` when the App is not installed and there is no token.
   */
  candidates(resource: Resource, credentialName: string | undefined): readonly Token[] {
    if (credentialName === anonymousCredentialName) return [this.#anonymous];
    const allowed = this.tokens.filter((token) => credentialName === undefined || token.name === credentialName);
    if (allowed.length === 0 && credentialName === undefined) throw notInstalled();
    const now = this.#now();
    return allowed.toSorted((left, right) => right.quota(resource).share(now) - left.quota(resource).share(now));
  }

  /** Waits for a token and a slot. @throws AppError when no token may be used. */
  acquire(resource: Resource, call: Pick<Call, 'urgency' | 'signal' | 'credentialName'>): Promise<Lease<Token>> {
    return this.scheduler.acquire({ resource, call, candidates: () => this.candidates(resource, call.credentialName) });
  }
}

function toKind({ secret, account }: Token): CredentialUse['kind'] {
  if (secret === undefined) return 'none';
  return account === undefined ? 'token' : 'installation';
}

function notInstalled(): AppError {
  return new AppError('provider_denied', 'The GitHub App is installed nowhere yet; install it, or set GITHUB_TOKEN.');
}

function refused(): AppError {
  return new AppError('provider_denied', 'GitHub does not accept the configured token.');
}

function usedUp(retryAt: Date): AppError {
  return new AppError('provider_rate_limited', "GitHub's request budget is used up for now.", { retryAt });
}
