import type { AccountFacts, Actor } from '../accounts/account.ts';
import type { Contribution, ItemKind, LineCounts, ReportedCalendar } from '../contributions/contribution.ts';
import type { CounterName, Counters } from '../contributions/counters.ts';
import type { RepositoryFacts } from '../repositories/repository.ts';
import type { Announcer } from './announcer.ts';
import type { Call } from './call.ts';
import type { CommitOwners } from './commit-owners.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { InstallableApp } from './installation.ts';
import type { OwnerPolls } from './owner-polls.ts';
import type { RepositoryFiles } from './repository-files.ts';
import type { UnreportedKind } from './unreported.ts';

export type { Call, Cost, SkippedPart } from './call.ts';
export type { CommitOwners } from './commit-owners.ts';
export type { RepositoryFile, RepositoryFiles } from './repository-files.ts';

/** The data for requesting a stored account. */
export interface KnownAccount {
  externalId: string;
  handle: string;
  type: AccountFacts['type'];
  name: string;
  /** The `memory` of the last report. */
  memory: object | null;
}

/** An account and its counters, as far as they have been fetched. */
export interface AccountReport {
  account: AccountFacts;
  /** Lifetime totals of public contributions, as far as known; an organization's are counted from its repositories. */
  counters: Partial<Counters>;
  /** The counters whose totals the provider does not report, or has not reported yet. */
  missing: CounterName[];
  /** Data that only the provider's module reads, for fetching less in the next report. */
  memory: object | null;
}

export interface KnownRepository {
  owner: string;
  name: string;
  handle: string;
  defaultBranch: string;
  /** The name of the credential that shows a private repository; null: the repository is public. */
  access: string | null;
}

/** The stream of commits, which every provider has and which is read with git. */
export const historyStream: Stream = { name: 'commits', covers: ['commit'] };

/** One way of reading contributions to a repository, page by page. */
export interface Stream {
  name: string;
  /** The kinds that are complete once the stream is read to its end. The stream lists items of the first kind. */
  covers: readonly (ItemKind | 'commit')[];
  /** True when the stream is read for installed repositories only. */
  isForInstalled?: boolean;
}

/** The newest state of a stream at the provider, as far as a listing of repositories shows it. */
export interface StreamTip {
  total: number | null;
  changedAt: Date | null;
  /** The id of the newest state; for the history, the newest commit. */
  revision: string | null;
}

export interface ListedRepository extends RepositoryFacts {
  /** Tips by name of stream. The state of an absent stream is known only after reading it. */
  tips: Partial<Record<string, StreamTip>>;
}

/**
 * A page of a listing. A listing has views: the public repositories, then the private ones that each credential shows.
 */
export interface RepositoryPage {
  repositories: ListedRepository[];
  /** The name of the credential of the view; null: the public view. */
  access: string | null;
  /** True for the last page of the view. */
  endsView: boolean;
  /** True when the provider no longer accepts the credential, which then shows nothing. */
  isRefused: boolean;
  /** The number of repositories in the view as the provider reports it; null: it reports none. */
  total: number | null;
  nextCursor: string | null;
}

/** The place where reading continues. */
export interface Position {
  /** Null: begin with the newest change. */
  cursor: string | null;
  /** Stop at items that have not changed since this time; null: read to the end. */
  since: Date | null;
  /** The number of items to request; null: the largest page of the provider. */
  pageSize: number | null;
  /** True when contributions are read with their details, as for installed repositories. */
  isDeep: boolean;
}

export interface ContributionPage {
  contributions: Contribution[];
  /** All actors that the contributions name. */
  actors: Actor[];
  /** The pull requests whose reviews are all among the contributions. */
  wholeParents: string[];
  nextCursor: string | null;
  /** The total number of items of the stream's first kind as the provider reports it; null: it reports none. */
  total: number | null;
  /** The number of items to request for the next page, adapted to the load that the provider accepts. */
  pageSize: number;
  /** True when the host does not show the list with this credential, so that the empty page proves nothing. */
  isWithheld?: true;
}

/** The current state of a repository and of its last changed items. */
export interface RepositoryTip {
  repository: ListedRepository;
  page: ContributionPage;
}

/** The number of items that each stream lists, by name of stream; the number for an absent stream is unknown. */
export type ContributionTotals = Partial<Record<string, number>>;

/** An email address in a commit, whose account is looked up. */
export interface CommitIdentity {
  /** In lower case. */
  email: string;
  /** The id of a commit that names the address. */
  oid: string;
  /** True when the commit names the address as a co-author, which some hosts show nowhere; else it is the author's. */
  isCoAuthor?: boolean;
}

/** The git remote of a repository. */
export interface GitRemote {
  url: string;
  /** The value of the Authorization header; undefined: none is needed. */
  authorization: string | undefined;
}

export type ChangedFiles = Map<string, readonly string[]>;

/** The result of checking a presented credential. */
export interface OwnershipProof {
  /** The account of the credential. */
  bearer: { externalId: string; name: string };
  /** The account of the requested name if the bearer owns or administers it; else null. */
  owned: Actor | null;
}

/** Headers of a delivery, in lower case. */
export type DeliveryHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * A change that a delivery reports. Ids of accounts and repositories are immutable; an owner without id has a name
 * only.
 */
export type Change =
  /** The profile or the activity of an account changed. */
  | { what: 'account'; account: string; name: string }
  /** The repositories that an account owns changed. */
  | { what: 'owned'; account: string | null; name: string }
  /** The contributions to a repository changed, in the named streams. */
  | { what: 'contributions'; repository: string; owner: string | null; ownerName: string; streams: string[] }
  /** An account reacted to an item of a repository. No list of changes shows reactions. */
  | { what: 'reactions'; repository: string }
  /** An account added, changed or removed an installation. `isOver`: the installation no longer shows private data. */
  | { what: 'installation'; access: string; isOver: boolean }
  /** A repository must be hidden until it is listed again. */
  | { what: 'hidden'; repository: string; onlyPrivate: boolean }
  /** An account starred a repository, or removed its star, at a time. Hosts may not show the list of stars. */
  | { what: 'star'; repository: string; account: Actor; at: string; isTakenBack: boolean }
  /** A contribution was deleted. No list of changes shows deletions. The id of a star is the id of its account. */
  | { what: 'removed'; repository: string; kind: Contribution['kind']; externalId: string };

/** A delivery from a provider, such as a webhook request. */
export interface Delivery {
  /** The id of the delivery; a repeated delivery has the same id. */
  id: string;
  event: string;
  /** Empty when the delivery does not concern the service. */
  changes: Change[];
}

/**
 * A code host. Every method throws AppError: `provider_rate_limited`, `provider_unavailable`, `provider_denied` or
 * `provider_invalid_response`; `not_found` for a deleted or hidden repository; `unauthenticated` for a presented
 * credential that is not valid.
 */
export interface Provider {
  /** The provider's path segment in the service's URLs. */
  readonly name: string;
  /** Returns whether the provider allows such an account name. Other names are never requested from it. */
  isPossibleName(name: string): boolean;
  isPossibleRepositoryName(name: string): boolean;
  /** Returns the URL of the account in the provider's API, for people who want to read more there. */
  accountUrl(account: Pick<Actor, 'name' | 'type'>): string;
  repositoryUrl(owner: string, name: string): string;

  /**
   * Fetches an account that is not stored, by its name. Yields reports that grow, the last one complete; nothing when
   * there is no such account; and one report with `isPublic: false` when the host says that the account is not public.
   * The report has another name when the host redirects a former name to the current one.
   */
  lookUp(name: string, call: Call): AsyncGenerator<AccountReport, void, undefined>;
  /** Fetches a stored account by its immutable id, like `lookUp`. Yields nothing when the account is deleted. */
  refresh(account: KnownAccount, call: Call): AsyncGenerator<AccountReport, void, undefined>;
  /**
   * Returns the accounts as the host shows them now, at most 50 at a time, by external id: each with `isPublic`, or
   * null for an account that the host does not show. The state of an account that is not in the result is unknown.
   */
  checkAccounts(accounts: readonly KnownAccount[], call: Call): Promise<Map<string, Actor | null>>;

  /** Present where the host reports no lifetime totals: missing counters are summed from stored contributions. */
  readonly totalsFromStored?: true;

  /**
   * Returns the names of the credentials that may show private data, as far as known; with an account, those that may
   * show its private data. A name reveals nothing of the credential.
   */
  accesses(account?: Pick<KnownAccount, 'externalId'>): string[];
  /** Fetches totals that include the private items that `call.access` sees. Yields nothing for a deleted account. */
  seenTotals(account: KnownAccount, call: Call): AsyncGenerator<AccountReport, void, undefined>;
  /**
   * Fetches a user's public calendar of the last year. Null: no credential is known to see public data only. Absent
   * where the provider has no such calendar.
   */
  readonly fetchCalendar?: (account: KnownAccount, call: Call) => Promise<ReportedCalendar | null>;
  /** Finds the bearer of a credential that a caller presents, and whether the bearer owns the account of a name. */
  proveOwnership(credential: string, name: string, signal: AbortSignal): Promise<OwnershipProof>;

  /** Lists the account's public repositories, and the private ones that a credential shows; at most 100 a page. */
  listRepositories(owner: KnownAccount, cursor: string | null, call: Call): Promise<RepositoryPage>;
  /** The polling of owners of installed repositories; undefined: no repositories are installed. */
  readonly ownerPolls: OwnerPolls | undefined;
  /** Finds a repository by its name; null when there is none, or it is private and `withPrivate` is false. */
  findRepository(
    owner: KnownAccount,
    name: string,
    options: { withPrivate: boolean },
    call: Call,
  ): Promise<ListedRepository | null>;
  /** The streams that the configured credentials can read, without the history. */
  readonly streams: readonly Stream[];
  /** The data that the configured credentials cannot read: each kind that no stream covers, and single details. */
  readonly unreported: readonly UnreportedKind[];
  /** Reads a page of a stream, newest change first. */
  readStream(stream: string, repository: KnownRepository, position: Position, call: Call): Promise<ContributionPage>;

  /** The service's registration as an app that accounts install; undefined: there is none. */
  readonly app: InstallableApp | undefined;

  /**
   * Reads a delivery after checking that it comes from the provider.
   * @throws AppError `unauthenticated` if it does not; `not_found` when no deliveries are configured; `invalid_input`.
   */
  readDelivery(headers: DeliveryHeaders, body: Buffer): Delivery;

  /**
   * Reads the items that changed last, also changes that no list shows; null when the repository's visibility changed.
   */
  readTip(repository: KnownRepository, call: Call): Promise<RepositoryTip | null>;
  /** Reads line counts by commit id (hexadecimal), at most 50 at a time; commits that the host hides are absent. */
  readLineCounts(repository: KnownRepository, oids: readonly string[], call: Call): Promise<Map<string, LineCounts>>;
  /** Reads the paths that pull requests change, by number, at most 50 at a time. */
  readChangedFiles(repository: KnownRepository, numbers: readonly string[], call: Call): Promise<ChangedFiles>;
  /** Reads the number of items that each stream of a repository lists. */
  readTotals(repository: KnownRepository, call: Call): Promise<ContributionTotals>;

  /**
   * Reads files of the default branch, at most 4 at a time; null when the visibility changed, or no files are shown.
   */
  readFiles(repository: KnownRepository, paths: readonly string[], call: Call): Promise<RepositoryFiles | null>;
  /** Returns the URL of the raw content of a file on the default branch, such as an image. */
  fileUrl(repository: Pick<KnownRepository, 'owner' | 'name' | 'defaultBranch'>, path: string): string;

  gitRemote(repository: KnownRepository, signal: AbortSignal): Promise<GitRemote>;
  /**
   * The number of addresses to look up in one call; few requests must suffice, because an error loses the whole call.
   */
  readonly identitiesAtOnce: number;
  /**
   * Looks up the accounts of email addresses. An address that is not in the result remains unknown: the host does not
   * show its commit, or shows the commit without the address.
   */
  resolveIdentities(repository: KnownRepository, identities: CommitIdentity[], call: Call): Promise<CommitOwners>;

  /** Writes comments and checks; undefined when the service has neither an app nor a token for writing. */
  readonly announcer?: Announcer | undefined;

  /**
   * Calls the host with every credential and reports the credential's state, the data that it shows and its remaining
   * quota. It never fails: a call that fails or takes too long becomes a state in the report.
   */
  diagnose(signal: AbortSignal): Promise<Diagnosis>;
  close(): Promise<void>;
}
