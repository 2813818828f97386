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
import type { Untold } from './untold.ts';

export type { Call, Cost, SkippedPart } from './call.ts';
export type { CommitOwners } from './commit-owners.ts';
export type { RepositoryFile, RepositoryFiles } from './repository-files.ts';

/** How to ask for an account that is stored already. */
export interface KnownAccount {
  externalId: string;
  handle: string;
  type: AccountFacts['type'];
  name: string;
  /** What the last report left in `memory`. */
  memory: object | null;
}

/** What was learnt of an account so far. */
export interface AccountReport {
  account: AccountFacts;
  /** Lifetime totals of what is public, as far as they are known; an organization's are counted from its repositories. */
  counters: Partial<Counters>;
  /** Totals that the provider could not tell (yet). */
  missing: CounterName[];
  /** For the provider's module alone: what makes the next question cheaper. */
  memory: object | null;
}

export interface KnownRepository {
  owner: string;
  name: string;
  handle: string;
  defaultBranch: string;
  /** Of a private one: the name of the credential that shows it. */
  access: string | null;
}

/** The stream of commits, which every provider has and git reads. */
export const historyStream: Stream = { name: 'commits', covers: ['commit'] };

/** One way of reading contributions to a repository, page by page. */
export interface Stream {
  name: string;
  /** The kinds that are known completely once the stream is read to its end; the first is what it lists. */
  covers: readonly (ItemKind | 'commit')[];
  /** Read of installed repositories alone. */
  isForInstalled?: boolean;
}

/** How a stream stands at the provider, as far as a listing of repositories tells. */
export interface StreamTip {
  total: number | null;
  changedAt: Date | null;
  /** What names the newest state; for the history, its newest commit. */
  revision: string | null;
}

export interface ListedRepository extends RepositoryFacts {
  /** By name of stream; one that is absent has to be read to know. */
  tips: Partial<Record<string, StreamTip>>;
}

/** A page of a listing. A listing has views: what is public, then what each credential shows besides. */
export interface RepositoryPage {
  repositories: ListedRepository[];
  /** The credential whose view it is of; null: the public one. */
  access: string | null;
  /** Whether it is the last page of its view. */
  endsView: boolean;
  /** The provider does not accept the credential any more: it shows nothing. */
  isRefused: boolean;
  /** How many the provider says there are in the view; null: it does not say. */
  total: number | null;
  nextCursor: string | null;
}

/** Where to go on reading. */
export interface Position {
  /** Null: from the newest change. */
  cursor: string | null;
  /** Stop at what has not changed since; null: read to the end. */
  since: Date | null;
  /** How many items to ask for; null: as many as the provider gives. */
  pageSize: number | null;
  /** Whether contributions are to be told with their details, as those of installed repositories. */
  isDeep: boolean;
}

export interface ContributionPage {
  contributions: Contribution[];
  /** Everybody whom the contributions name. */
  actors: Actor[];
  /** Pull requests of which every review is among the contributions. */
  wholeParents: string[];
  nextCursor: string | null;
  /** How many items of the first kind the provider says there are in all; null: it does not say. */
  total: number | null;
  /** How many items the provider took well; to be asked for next time. */
  pageSize: number;
  /** The host does not show this caller the list: the page says nothing about what the list holds. */
  isWithheld?: true;
}

/** A repository, and what changed last in it, as of now. */
export interface RepositoryTip {
  repository: ListedRepository;
  page: ContributionPage;
}

/** How much there is of what streams list, by name of stream; one that is absent is not known. */
export type ContributionTotals = Partial<Record<string, number>>;

/** Address in a commit, whose account is looked up. */
export interface CommitIdentity {
  /** In lower case. */
  email: string;
  /** Commit that names the address. */
  oid: string;
  /** The commit names it as co-author, which some hosts show nowhere. Default: as author. */
  isCoAuthor?: boolean;
}

/** Where a repository's commits come from. */
export interface GitRemote {
  url: string;
  /** Value of the Authorization header, when one is needed. */
  authorization: string | undefined;
}

export type ChangedFiles = Map<string, readonly string[]>;

/** What a presented credential proves. */
export interface OwnershipProof {
  /** Who presented it. */
  bearer: { externalId: string; name: string };
  /** The account of the name that was asked for, which the bearer owns or administers; null: neither. */
  owned: Actor | null;
}

/** Headers of a delivery, in lower case. */
export type DeliveryHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** What a provider hints at; accounts and repositories are named by its immutable ids, an owner without one (null) by its name. */
export type Change =
  /** An account is another than before, or what it did. */
  | { what: 'account'; account: string; name: string }
  /** What an account owns is another. */
  | { what: 'owned'; account: string | null; name: string }
  /** There are other contributions to a repository, in some of its streams. */
  | { what: 'contributions'; repository: string; owner: string | null; ownerName: string; streams: string[] }
  /** Somebody reacted to something in a repository, which no list of changes tells. */
  | { what: 'reactions'; repository: string }
  /** Somebody installed the app, or changed or ended that. `isOver`: it shows nothing private any more. */
  | { what: 'installation'; access: string; isOver: boolean }
  /** A repository must not be shown any more until it is listed again. */
  | { what: 'hidden'; repository: string; onlyPrivate: boolean }
  /** An account starred a repository or took that back at a time. Hosts may show no list of stars that would tell. */
  | { what: 'star'; repository: string; account: Actor; at: string; isTakenBack: boolean }
  /** A contribution is no more, which no list of changes tells. A star's id is that of the account. */
  | { what: 'removed'; repository: string; kind: Contribution['kind']; externalId: string };

/** What a provider tells by itself. */
export interface Delivery {
  /** The same for a repetition. */
  id: string;
  event: string;
  /** None: it is nothing to us. */
  changes: Change[];
}

/**
 * A code host. Every method throws AppError: `provider_rate_limited`, `provider_unavailable`, `provider_denied` or
 * `provider_invalid_response`; a repository that is gone or hidden is `not_found`; a presented credential that is not
 * valid is `unauthenticated`.
 */
export interface Provider {
  /** Path segment in addresses. */
  readonly name: string;
  /** Whether the provider could have given out such a name; if not, it is never asked. */
  isPossibleName(name: string): boolean;
  isPossibleRepositoryName(name: string): boolean;
  /** Address of the record in the provider's API, for people who want to go on from there. */
  accountUrl(account: Pick<Actor, 'name' | 'type'>): string;
  repositoryUrl(owner: string, name: string): string;

  /**
   * Asks for a name that is not stored. Yields what is known so far, the last time all; nothing when there is no such account,
   * and one report with `isPublic: false` where the host tells that it does not show the account to everybody. The report has
   * another name where the host leads from a former name to the present one.
   */
  lookUp(name: string, call: Call): AsyncGenerator<AccountReport, void, undefined>;
  /** The same for a stored account, by its immutable id. Yields nothing when it is gone. */
  refresh(account: KnownAccount, call: Call): AsyncGenerator<AccountReport, void, undefined>;
  /**
   * Returns how the host shows accounts now, at most 50 at a time, by external id: each with `isPublic`, or null for one that
   * it does not show at all. Of one that is not in the answer nothing could be learnt.
   */
  checkAccounts(accounts: readonly KnownAccount[], call: Call): Promise<Map<string, Actor | null>>;

  /** Present where users' lifetime totals cannot be told: what reports name as missing is summed from what is stored. */
  readonly totalsFromStored?: true;

  /**
   * Names of the credentials that may show what is private, as far as is known; those that may show something of one
   * account when it is given. Names say nothing of the credentials.
   */
  accesses(account?: Pick<KnownAccount, 'externalId'>): string[];
  /** Totals as they are with what is private and the credential `call.access` sees. Yields nothing when the account is gone. */
  seenTotals(account: KnownAccount, call: Call): AsyncGenerator<AccountReport, void, undefined>;
  /**
   * Fetches a user's calendar of the last year as everybody sees it. Null: no credential is known to see public data alone.
   * Absent where the provider has no such calendar.
   */
  readonly fetchCalendar?: (account: KnownAccount, call: Call) => Promise<ReportedCalendar | null>;
  /** Asks, with a credential that somebody presents, who its bearer is and whether that is the account's owner. */
  proveOwnership(credential: string, name: string, signal: AbortSignal): Promise<OwnershipProof>;

  /** Repositories that the account owns: public ones, and private ones that a credential shows; 100 a page or fewer. */
  listRepositories(owner: KnownAccount, cursor: string | null, call: Call): Promise<RepositoryPage>;
  /** How owners of installed repositories are polled; undefined: nothing is installed. */
  readonly ownerPolls: OwnerPolls | undefined;
  /** One repository by its name; null when there is none, or it is private and not asked for. */
  findRepository(
    owner: KnownAccount,
    name: string,
    options: { withPrivate: boolean },
    call: Call,
  ): Promise<ListedRepository | null>;
  /** The streams, besides the history, that can be read with the credentials at hand. */
  readonly streams: readonly Stream[];
  /** What cannot be read of contributions with the credentials at hand: every kind that no stream covers, and more. */
  readonly untold: readonly Untold[];
  /** A page of a stream, newest change first. */
  readStream(stream: string, repository: KnownRepository, position: Position, call: Call): Promise<ContributionPage>;

  /** Where the service is registered as an app that accounts install; undefined: it is not. */
  readonly app: InstallableApp | undefined;

  /**
   * Reads what somebody delivers as the provider's.
   * @throws AppError `unauthenticated` when it is not; `not_found` when no deliveries are configured; `invalid_input`.
   */
  readDelivery(headers: DeliveryHeaders, body: Buffer): Delivery;

  /** What changed last in a stored repository, also what no list of changes tells; null when it is not shown as it was. */
  readTip(repository: KnownRepository, call: Call): Promise<RepositoryTip | null>;
  /** What commits changed, by id (hexadecimal), at most 50 at a time; one that is not shown is not in the answer. */
  readLineCounts(repository: KnownRepository, oids: readonly string[], call: Call): Promise<Map<string, LineCounts>>;
  /** Paths that pull requests change, by number, at most 50 at a time. */
  readChangedFiles(repository: KnownRepository, numbers: readonly string[], call: Call): Promise<ChangedFiles>;
  /** How much there is of what the streams of a repository list. */
  readTotals(repository: KnownRepository, call: Call): Promise<ContributionTotals>;

  /** Files on the default branch, at most 4 at a time; null when the repository is not shown as it was, or none is told. */
  readFiles(repository: KnownRepository, paths: readonly string[], call: Call): Promise<RepositoryFiles | null>;
  /** Address of a file on the default branch as it is, such as a picture. */
  fileUrl(repository: Pick<KnownRepository, 'owner' | 'name' | 'defaultBranch'>, path: string): string;

  gitRemote(repository: KnownRepository, signal: AbortSignal): Promise<GitRemote>;
  /** How many addresses to look up in one call: as many as few requests answer, because an error loses the whole call. */
  readonly identitiesAtOnce: number;
  /**
   * Looks up the accounts of addresses. An address that is not in the result remains unknown: its commit is not shown, or
   * does not show it.
   */
  resolveIdentities(repository: KnownRepository, identities: CommitIdentity[], call: Call): Promise<CommitOwners>;

  /** Writes for the service; undefined where nothing lets it: it is not the provider's app, or has no token. */
  readonly announcer?: Announcer | undefined;

  /**
   * Calls the host with every credential and reports how each is treated, what it shows and what is left of its quota.
   * It never fails: what cannot be found out in time is a state in the report.
   */
  diagnose(signal: AbortSignal): Promise<Diagnosis>;
  close(): Promise<void>;
}
