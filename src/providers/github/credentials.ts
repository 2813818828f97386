import { AppError } from '../../errors.ts';
import { hasCaller } from '../call.ts';
import type { CredentialUse } from '../credential-use.ts';
import type { Call } from '../provider.ts';
import { Credential, latest } from '../transport/credential.ts';
import type { LimitReport } from '../transport/quota.ts';
import { RequestRate } from '../transport/request-rate.ts';
import { type Lease, RequestScheduler } from '../transport/request-scheduler.ts';
import { fingerprint, fixedSecret, type Secret } from '../transport/secret.ts';
import { Slots } from '../transport/slots.ts';

/** The resources that GitHub limits separately. */
export type Resource = 'graphql' | 'core' | 'search';

/** GitHub allows 100 concurrent requests with a token, which other nodes may use as well. */
const slotLimits = { all: 50, background: 40, waiting: 1000 };
/** The points a minute for background work, of 2,000 GraphQL and 900 REST points that GitHub allows. */
const maxBackgroundPerMinute: Record<Resource, number> = { graphql: 1000, core: 450, search: 15 };

/** The credential name of requests without a credential. */
export const anonymousCredentialName = '';
/** The scopes with which a calendar may count private contributions that other accounts do not see. */
const revealingScopes: ReadonlySet<string> = new Set(['repo', 'user', 'read:user']);

/** A credential with its remaining quota: a token, no token, or the changing tokens of an installation. */
export class Token extends Credential {
  /** The name for people, which never holds the token itself. */
  readonly label: string;
  /**
   * The id of the account whose private data an installation shows; undefined: the token shows what its bearer sees.
   */
  readonly account: string | undefined;
  readonly #rates = { graphql: new RequestRate(), core: new RequestRate(), search: new RequestRate() };
  #scopes: readonly string[] | undefined;
  #hasAnswered = false;

  constructor(options: { secret: Secret | undefined; label: string; name: string; account?: string }) {
    super({ ...options, slots: new Slots(slotLimits) });
    this.label = options.label;
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
  get canRevealScopes(): boolean {
    return this.secret !== undefined && this.account === undefined && !this.#hasAnswered;
  }

  /**
   * The scopes of a classic token; undefined: GitHub names none. A token without `repo` sees public repositories only.
   */
  get scopes(): readonly string[] | undefined {
    return this.#scopes;
  }

  /** @param header the value of `x-oauth-scopes` in a response to the token; undefined: there is none. */
  recordScopes(header: string | undefined): void {
    this.#hasAnswered = true;
    if (header !== undefined) this.#scopes = header.split(',').map((scope) => scope.trim());
  }

  override freeAt(resource: Resource, urgency: Call['urgency'], now: Date): Date {
    const most = maxBackgroundPerMinute[resource];
    const ofRate = hasCaller(urgency) ? undefined : this.#rates[resource].exceededUntil(most, now);
    return latest(super.freeAt(resource, urgency, now), ofRate);
  }

  override take(resource: Resource, now: Date): void {
    super.take(resource, now);
    this.#rates[resource].count(now);
  }

  remaining(resource: Resource): LimitReport | undefined {
    return this.quota(resource).report;
  }
}

/** The credentials of GitHub: the configured tokens and those of installations. */
export class Credentials {
  readonly scheduler: RequestScheduler;
  readonly #now: () => Date;
  readonly #own: readonly Token[];
  /**
   * For requests without a credential, which have a small quota and succeed where an organization refuses credentials.
   */
  readonly #anonymous = new Token({ secret: undefined, label: 'no token', name: anonymousCredentialName });
  #granted: readonly Token[] = [];

  constructor(secrets: readonly string[], options: { now: () => Date; isApp?: boolean }) {
    const own = secrets.map((secret, index) => {
      const label = `token ${index + 1} of ${secrets.length}`;
      return new Token({ secret: fixedSecret(secret), label, name: fingerprint(secret) });
    });
    // An App without tokens uses those of its installations, and must not be treated as anonymous.
    this.#own = own.length === 0 && !options.isApp ? [this.#anonymous] : own;
    this.#now = options.now;
    this.scheduler = new RequestScheduler({ ...options, limited: usedUp, denied: refused });
  }

  get tokens(): readonly Token[] {
    return [...this.#own, ...this.#granted];
  }

  /** True when requests are sent without a credential. */
  get isAnonymous(): boolean {
    return this.#own.some(({ secret }) => secret === undefined);
  }

  uses(): CredentialUse[] {
    const now = this.#now();
    return this.tokens.map((token) => ({ kind: kindOf(token), ...token.use(now) }));
  }

  /** Replaces the tokens that are used in addition to the configured ones. */
  grant(tokens: readonly Token[]): void {
    this.#granted = tokens;
    this.scheduler.reconsider();
  }

  /**
   * Returns the tokens for a request, the one with the most quota left first.
   * @param credentialName the name of the only token that may be used; undefined: all may be used.
   */
  candidates(resource: Resource, credentialName: string | undefined): readonly Token[] {
    if (credentialName === anonymousCredentialName) return [this.#anonymous];
    const allowed = this.tokens.filter((token) => credentialName === undefined || token.name === credentialName);
    if (allowed.length === 0 && credentialName === undefined) throw notInstalled();
    const now = this.#now();
    return allowed.toSorted((one, other) => other.quota(resource).share(now) - one.quota(resource).share(now));
  }

  /** Waits for a token and its slot. @throws AppError when none may be used. */
  acquire(resource: Resource, call: Pick<Call, 'urgency' | 'signal' | 'credentialName'>): Promise<Lease<Token>> {
    return this.scheduler.acquire({ resource, call, candidates: () => this.candidates(resource, call.credentialName) });
  }
}

function kindOf({ secret, account }: Token): CredentialUse['kind'] {
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
