import type { AccountFacts, Actor } from '../../model/account.ts';
import type { ReportedCalendar } from '../../model/contribution.ts';
import type { CounterName, Counters } from '../../model/counters.ts';
import type { Call, KnownAccount, KnownRepository } from './call.ts';

/** The private data that credentials show. Absent: the provider reads public data only. */
export interface PrivateData {
  /**
   * Returns the names of the credentials that may show private data, as far as known; with an account, those that may
   * show its private data. A name reveals nothing of the credential.
   */
  credentialNames(account?: Pick<KnownAccount, 'externalId'>): string[];
  /**
   * Looks up at the host whether a person may see a private repository. False also where no credential may read that. Absent
   * where the host does not report it.
   */
  readonly maySee?: (
    repository: KnownRepository,
    person: Pick<KnownAccount, 'externalId' | 'name'>,
    call: Call,
  ) => Promise<boolean>;
  /**
   * Fetches totals that include the private items that `call.credentialName` sees. Yields nothing for a deleted
   * account. Absent where the host reports no such totals.
   */
  readonly fetchTotals?: (account: KnownAccount, call: Call) => AsyncGenerator<AccountReport, void, undefined>;
}

/** An account and the counters that have been fetched so far. */
export interface AccountReport {
  account: AccountFacts;
  /** The known lifetime totals of a user's public contributions. Empty for an organization, whose are counted here. */
  counters: Partial<Counters>;
  /** The counters whose totals the provider does not report, or has not reported yet. */
  missing: CounterName[];
  /** Data that only the provider's module reads, for fetching less in the next report. */
  memory: object | null;
}

/** Whole days (UTC, `YYYY-MM-DD`), both included. */
export interface DayRange {
  first: string;
  last: string;
}

/** The accounts of a host, which every provider has. */
export interface Accounts {
  /** Returns whether the host allows such an account name. Other names are never requested from it. */
  isPossibleName(name: string): boolean;
  /** Returns the URL of the account in the host's API, for people who want to read more there. */
  toUrl(account: Pick<Actor, 'name' | 'type'>): string;
  /**
   * Returns the URL of a user in the host's API by the immutable id. The URL identifies the same person after a change
   * of the name, and never another one.
   */
  toIdUrl(externalId: string): string;
  /** Returns the URL of the host's page that searches for the items of a user's counter; absent: the host has none. */
  toSearchUrl?(login: string, counter: CounterName): string | undefined;
  /**
   * Fetches an account that is not stored, by its name. Yields reports with more and more counters; nothing when there
   * is no such account; only one report, with `isPublic: false`, when the host says that the account is not public. The
   * report has another name when the host redirects a former name to the current one.
   */
  lookUp(name: string, call: Call): AsyncGenerator<AccountReport, void, undefined>;
  /** Fetches a stored account by its immutable id, like `lookUp`. Yields nothing when the account is deleted. */
  refresh(account: KnownAccount, call: Call): AsyncGenerator<AccountReport, void, undefined>;
  /** True when the host reports lifetime totals of users; otherwise they are summed from stored contributions. */
  readonly reportsTotals: boolean;
  /**
   * Returns the accounts as the host shows them now, by external id: each with `isPublic`, or
   * null for an account that the host does not show. The state of an account that is not in the result is unknown.
   * Absent where the host allows too few requests: deleted accounts then stay in lists until they are looked up.
   */
  readonly check?: (accounts: readonly KnownAccount[], call: Call) => Promise<Map<string, Actor | null>>;
  /** The most accounts in one call of `check`, and the most for which it is called in an hour. */
  readonly checkLimits?: { atOnce: number; perHour: number };
  /**
   * Fetches the host's own counts of a user's public contributions on whole days; counters that it does not count are
   * absent. Null: no credential is known to see only public data. Absent where the host has no such numbers.
   */
  readonly countDays?: (account: KnownAccount, range: DayRange, call: Call) => Promise<Partial<Counters> | null>;
  /**
   * Fetches a user's public calendar of the last year. Null: no credential is known to see only public data. Absent
   * where the host has no such calendar, which is then counted from stored contributions.
   */
  readonly fetchCalendar?: (account: KnownAccount, call: Call) => Promise<ReportedCalendar | null>;
}
