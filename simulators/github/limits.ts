export type Resource = 'core' | 'graphql' | 'search';

export interface LimitSettings {
  /** Points an hour, or requests a minute for search, with a token. */
  graphql: number;
  core: number;
  search: number;
  /** Requests an hour, or a minute for search, without a token. */
  anonymousCore: number;
  anonymousSearch: number;
  /** Concurrent requests of one token. */
  atOnce: number;
  /** Points a minute of one token. */
  graphqlPerMinute: number;
  corePerMinute: number;
}

/** The limits that GitHub documents. */
export const documentedLimits: LimitSettings = {
  graphql: 5000,
  core: 5000,
  search: 30,
  anonymousCore: 60,
  anonymousSearch: 10,
  atOnce: 100,
  graphqlPerMinute: 2000,
  corePerMinute: 900,
};

export interface Allowance {
  limit: number;
  used: number;
  resetAt: Date;
}

/** The limits, and each token's use of them. */
export class Limits {
  settings: LimitSettings;
  readonly #now: () => Date;
  readonly #allowances = new Map<string, Allowance>();
  readonly #minutes = new Map<string, { minute: number; points: number }>();
  readonly #atOnce = new Map<string, number>();

  constructor(settings: LimitSettings, now: () => Date) {
    this.settings = settings;
    this.#now = now;
  }

  allowance(token: string, resource: Resource): Allowance {
    const key = `${token} ${resource}`;
    const now = this.#now().getTime();
    const current = this.#allowances.get(key);
    if (current !== undefined && current.resetAt.getTime() > now) return current;
    const periodMs = resource === 'search' ? 60_000 : 3_600_000;
    const isAnonymous = token === 'anonymous';
    const { anonymousCore, anonymousSearch } = this.settings;
    const limit = isAnonymous ? (resource === 'search' ? anonymousSearch : anonymousCore) : this.settings[resource];
    const fresh = { limit, used: 0, resetAt: new Date(Math.floor(now / 1000) * 1000 + periodMs) };
    this.#allowances.set(key, fresh);
    return fresh;
  }

  /** Counts the points of a request. @returns the limit that the request exceeds, if there is one. */
  spend(token: string, resource: Resource, points: number): 'primary' | 'secondary' | undefined {
    const allowance = this.allowance(token, resource);
    if (allowance.used + points > allowance.limit) return 'primary';
    const { graphqlPerMinute, corePerMinute } = this.settings;
    const perMinute = resource === 'graphql' ? graphqlPerMinute : corePerMinute;
    const minute = Math.floor(this.#now().getTime() / 60_000);
    const key = `${token} ${resource}`;
    const current = this.#minutes.get(key);
    const spent = current?.minute === minute ? current : { minute, points: 0 };
    this.#minutes.set(key, spent);
    if (spent.points + points > perMinute) return 'secondary';
    spent.points += points;
    allowance.used += points;
    return undefined;
  }

  /** @returns false when the token has too many requests under way. */
  begin(token: string): boolean {
    const count = (this.#atOnce.get(token) ?? 0) + 1;
    this.#atOnce.set(token, count);
    return count <= this.settings.atOnce;
  }

  end(token: string): void {
    this.#atOnce.set(token, (this.#atOnce.get(token) ?? 1) - 1);
  }

  /** Begins all periods again. */
  reset(): void {
    this.#allowances.clear();
    this.#minutes.clear();
  }

  /** Uses up the quota of every token that has one of the resource, except for a number of points. */
  useUpExcept(resource: Resource, points: number): void {
    for (const [key, allowance] of this.#allowances) {
      if (key.endsWith(` ${resource}`)) allowance.used = Math.max(allowance.used, allowance.limit - points);
    }
  }

  headers(token: string, resource: Resource): Record<string, string> {
    const { limit, used, resetAt } = this.allowance(token, resource);
    return {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(Math.max(0, limit - used)),
      'x-ratelimit-used': String(used),
      'x-ratelimit-reset': String(Math.floor(resetAt.getTime() / 1000)),
      'x-ratelimit-resource': resource,
    };
  }
}
