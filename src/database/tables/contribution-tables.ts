import type { Generated } from 'kysely';
import type { ItemKind, PendingKind, ReviewState } from '../../model/contribution.ts';
import type { CountedName, CountedOfDay, CountedOfPerson } from '../../model/kinds.ts';

/** A page that a running full scan has read. */
export interface ScanPagesTable {
  repository_id: string;
  stream: string;
  /** The contributions on it: the kind and the external id of each. */
  kinds: ItemKind[];
  external_ids: string[];
}

/** Times of the polls of a repository for changes that no delivery reports. */
export interface RepositoryPollsTable {
  repository_id: string;
  next_at: Date;
  interval_s: number;
  /** Digest of the data seen last: another digest means a change. */
  digest: string;
  /** The last change that a poll found or the provider reported; null: none is known. */
  changed_at: Date | null;
}

export interface ErasingTables {
  /** Repositories that are not stored any more, until their rows in `dividedTables` are removed. A trigger writes them. */
  erased_repositories: { repository_id: string };
}

/** Tables of changes: reports of hosts, and logs from which former numbers are computed. `Date` is timestamptz. */

/**
 * Stars that deliveries report as given or taken back, summed for each second. The rows of an account in a repository are
 * deleted some time after the last of its deliveries (`starEventsKeptMs`).
 */
interface StarEventsTable {
  repository_id: string;
  /** The account's id at its host. */
  external_id: string;
  /** The row at `-infinity` says whether the star was stored before the first delivery: 1, or -1. */
  at: Date;
  /** The number of times it was given minus the number of times it was taken back. */
  balance: number;
  recorded_at: Date;
}

/** An item or commit that ceased to count, or that began to count after it was stored; kept for 90 days. */
interface CountedChangesTable {
  repository_id: string;
  kind: string;
  /** The id at the host; that of a commit is hexadecimal. */
  external_id: string;
  number: number | null;
  /** The counter of which it was, or is, an item. */
  counter: string;
  /** Null where no account is known; such items count for the owner of the repository alone. */
  account_id: string | null;
  /** The moment at which it counts in a window of time. */
  at: Date;
  is_co_authored: boolean;
  /** True: it began to count at `changed_at`; false: it ceased to. */
  is_added: boolean;
  /** The time since when it is stored. */
  stored_at: Date;
  changed_at: Date;
}

/** The visibility of a repository until a moment at which it changed; kept for 90 days. */
interface FormerRepositoriesTable {
  repository_id: string;
  owner_id: string;
  is_private: boolean;
  is_deleted: boolean;
  until: Date;
}

/** The only row: the time since when changes are logged. */
interface ChangesKeptTable {
  since: Date;
}

/** The only row: the latest time that may be stored; `infinity`: not known. */
interface LatestTimeTable {
  is_only: boolean;
  until: Date;
}

export interface ChangeTables {
  star_events: StarEventsTable;
  counted_changes: CountedChangesTable;
  former_repositories: FormerRepositoriesTable;
  changes_kept: ChangesKeptTable;
  latest_time: LatestTimeTable;
}

/** Tables of lists of contributors. `Date` is timestamptz. */

/** A list of contributors, which follows changes in versions. */
export interface RankingsTable {
  id: Generated<number>;
  account_id: string;
  /** Null: all repositories of the account. */
  repository_id: string | null;
  /** True when private repositories are included, except those of the credentials `excluded`. */
  includes_private: boolean;
  excluded: string[];
  version: Generated<number>;
  /** The oldest version whose rows are all stored. */
  oldest_version: Generated<number>;
  /** The number of its people whom every reader sees, without bots. */
  people: Generated<number>;
  built_at: Date;
  /** The last of the people, by id, who are stored and follow changes while the list is being made; null: all of them. */
  made_until: string | null;
  /** Not null: it no longer follows changes, and is not read. */
  ended_at: Date | null;
}

/** A contributor in the versions of a list from `since_version` on, and before `until_version`. */
export interface RanksTable {
  ranking_id: number;
  account_id: string;
  contributions: number;
  /** The name in lower case, as it was when the row was stored. */
  name_key: string;
  /** True when the account is no bot and every reader sees it. */
  is_counted: boolean;
  since_version: number;
  /** Null: the row belongs to the newest version. */
  until_version: number | null;
  ended_at: Date | null;
}

/** Differences that lists follow at the end of a transaction, which empties the table before others see it. */
export interface UnlistedContributorsTable {
  transaction_id: string;
  /** Null: the account itself changed. */
  repository_id: string | null;
  account_id: string;
  added: number;
}

/** The changed files of one language in the commits of one day (UTC) that name an address, or in all of them (`everyAddress`). */
export interface LanguageDaysTable {
  repository_id: string;
  identity_id: number;
  day: string;
  language: string;
  files: number;
  commits: number;
}

/** The changed files of one language in all commits that name an address, or in all of them (`everyAddress`). */
export interface LanguageSumsTable {
  repository_id: string;
  identity_id: number;
  language: string;
  files: number;
}

/** A place in a repair, which begins with lost people of days (null: the first one), then takes all people, then all languages. */
export type Repair =
  | { part: 'days'; from: string | null }
  | { part: 'people'; after: string }
  | { part: 'languages'; after: number };

/** Tables of people's contributions. `Date` is timestamptz; a day is text, `YYYY-MM-DD`. */

/** The progress of reading one kind of a repository's contributions. */
export interface StreamsTable {
  repository_id: string;
  name: string;
  /** Kinds of contributions that are completely known once the stream was read whole. */
  covers: string[];
  /** The position of the running scan; for commits, the tip that is stored. */
  cursor: string | null;
  page_size: number | null;
  /** Null: no scan is running. */
  scan_started_at: Date | null;
  /** True when the running scan reads everything, so that items that it does not see no longer exist. */
  scan_is_full: Generated<boolean>;
  /**
   * Everything that changed after this time is stored, as of the beginning of the last full scan that read a page; null: not
   * known, because the list does not begin with the newest change.
   */
  reached_at: Date | null;
  /** The provider's count of items when the running scan began; null when it gave none. */
  scan_total: number | null;
  /** For the history: grows when all of it has to be read again to find removed commits. */
  scan_number: Generated<number>;
  /** For the history: newest commits that a run began to store; their history is stored in part or completely. */
  pending_tips: Generated<string[]>;
  /** The time before which all changes are stored. */
  known_until: Date | null;
  /** The time when a scan last ended; null: the stream was never read whole. */
  completed_at: Date | null;
  /** The time when the last full scan began. */
  full_scan_at: Date | null;
  /** From the repository's last listing: the number of items, the newest change, the newest commit. */
  provider_total: number | null;
  provider_changed_at: Date | null;
  provider_revision: string | null;
  /** Code of the error that stopped the last read; null when it did not fail. */
  failure: string | null;
  /** The time of that failure, and the host's own reason where it holds no private data. */
  failed_at: Date | null;
  failure_reason: string | null;
  /** The time of the first failure since a page was read. */
  failing_since: Generated<Date | null>;
  /** True when the last full scan (`scan_is_deep`: the running scan) read the details of an installed repository. */
  is_deep: Generated<boolean>;
  scan_is_deep: Generated<boolean>;
  /** The time when the provider last reported new items. */
  invalidated_at: Date | null;
  /** The time of the request for a full scan, because items were deleted or lost. */
  full_scan_wanted_at: Date | null;
  /** The time of the last read, if the host withheld the list then; null when it showed the list. */
  withheld_at: Date | null;
}

export interface ContributionsTable {
  repository_id: string;
  kind: ItemKind;
  /** For a star, the id of the account. */
  external_id: string;
  /** The pull request that a review is of; the issue or pull request that a comment is below. */
  parent_external_id: string | null;
  /** Null when the author's account is deleted, or never existed. */
  account_id: string | null;
  answered_by: string | null;
  answered: Generated<boolean>;
  created_at: Date;
  updated_at: Date;
  closed_at: Date | null;
  merged_at: Date | null;
  /** The start of the scan that stored its present state, or the time of the delivery or poll that did. */
  seen_at: Date;
  /** The time since when it is stored; of rows from before 0.4 the time of that upgrade. */
  stored_at: Generated<Date>;
  /** The title of an issue, pull request or discussion, cleaned; null: not read since titles are stored. */
  title: Generated<string | null>;
  /** The number of an issue, pull request or discussion, or of a comment's parent. */
  number: number | null;
  /** From here on: installed repositories only. The account that closed an issue; the author of the pull request that did, or of the accepted answer. */
  resolved_by: string | null;
  /** The account that merged a pull request, where that is known. */
  merged_by: string | null;
  /** The time when the answer of a discussion was accepted, where that is known. */
  answered_at: Date | null;
  assignees: string[] | null;
  /** Accounts whose review was requested, or that gave one. */
  reviewers: string[] | null;
  comments: number | null;
  /** The reactions in the provider's words; `reactors` has the account of each at the same position. */
  emojis: string[] | null;
  reactors: (string | null)[] | null;
  additions: number | null;
  deletions: number | null;
  changed_files: number | null;
  commits: number | null;
  upvotes: number | null;
  labels: string[] | null;
  /** Paths that a pull request changes. */
  files: string[] | null;
  /** The reason why an issue is closed or open again, in the provider's words. */
  reason: string | null;
  /** The present state of a review; null: not read since states are stored. */
  state: ReviewState | null;
}

/** E-mail address in commits, and the account that it belongs to. */
export interface IdentitiesTable {
  id: Generated<number>;
  provider: string;
  email: string;
  /** Null with `resolved_at`: the host showed a commit by the address, and no account. Null without: not known. */
  account_id: string | null;
  resolved_at: Date | null;
  /** The last repository that was marked after the account changed, in the order of ids; null: all were. */
  forgotten_until: string | null;
}

export interface CommitsTable {
  repository_id: string;
  oid: Buffer;
  authored_at: Date;
  committed_at: Date;
  /** The number of the last scan that saw it. */
  scan_number: number;
  /** Author first, then co-authors. */
  identity_ids: number[];
  /** As `stored_at` of contributions. */
  stored_at: Generated<Date>;
  /** The first line of the message, cleaned; null: not read since subjects are stored. */
  subject: Generated<string | null>;
  /** True: the message names a program that helped to write it; null: not read since that is stored. */
  assisted: Generated<boolean | null>;
  /** The numbers of lines and files that it changed; null when they were not fetched. */
  additions: number | null;
  deletions: number | null;
  changed_files: number | null;
  /** Paths of the changed files. */
  files: string[] | null;
  /** The numbers of changed files by language; null: not read. Empty for merges. */
  languages: Record<string, number> | null;
}

/** Address that a repository's commits name, and the state of looking up its account there. */
export interface RepositoryIdentitiesTable {
  repository_id: string;
  identity_id: number;
  /** True when the address authored a commit; otherwise commits name it as co-author alone. */
  is_author: boolean;
  /** True when the repository's totals may count commits that name it. */
  is_counted: Generated<boolean>;
  /** The number of lookups that did not find its account. */
  attempts: Generated<number>;
  /** The time at which the next lookup is due after one that did not find it. */
  retry_at: Date | null;
}

/** Commits that are stored and not yet in the totals. */
export interface UncountedCommitsTable {
  repository_id: string;
  oid: Buffer;
}

type CheckedSums = Record<'checked_commits' | 'checked_people' | 'checked_languages', string | null>;
export interface RepositoryTotalsTable extends Record<CountedName, Generated<number>>, CheckedSums {
  repository_id: string;
  /** False when all commits have to be counted from the beginning, because they or their authors changed. */
  commits_counted: Generated<boolean>;
  /** The day before which the present recount has counted all commits, and their number; `infinity`: all days. Null: it begins. */
  recounted_until: string | null;
  recounted_commits: Generated<number>;
  /** The day before which the check of `running-check-store.ts` has counted, and sums of these days. Null: it begins; not compared. */
  checked_until: string | null;
  checked_counts: Record<string, string | null> | null;
  /** The large day that is counted (null: none, or it changed since), and how often a count of one began. */
  counting_day: string | null;
  countings: Generated<number>;
  /** The next part of a repair of people and languages; null: none is necessary. */
  repair: Repair | null;
  /** True when the totals changed since the mark was last read and reset. */
  is_changed: Generated<boolean>;
}

export interface ContributorTotalsTable extends Record<CountedOfPerson, Generated<number>> {
  repository_id: string;
  account_id: string;
}

/** A user's contributions by day as the provider reports them. */
export interface CalendarsTable {
  account_id: string;
  first_day: string;
  /** One number for each day from the first one on. */
  counts: number[];
  total: number;
  /** True when private contributions that the user publishes at the provider are included. */
  includes_private: boolean;
  fetched_at: Date;
}

/** The contributions of an account to a repository on one day (UTC). */
export interface ContributionDaysTable extends Record<CountedOfDay, Generated<number>> {
  account_id: string;
  repository_id: string;
  day: string;
}

/** Accounts whose stored numbers in a repository changed since their last update. */
export interface ChangedContributorsTable {
  repository_id: string;
  account_id: string;
  /** False when the repository was being read for the first time. */
  is_update: boolean;
  /** True when the repository was shown or hidden, or is another account's. */
  is_visibility: Generated<boolean>;
}

/** Repositories that became visible, hidden or another account's. A trigger writes the rows. */
export interface ChangedRepositoriesTable {
  repository_id: string;
  /** The last of its contributors, by id, who is recorded as changed; null: none yet. */
  position: string | null;
}

/** Sums over the repositories of an owner, in rows that are added up; their columns follow from `kinds.ts`. */
export interface OwnerSumsTable {
  owner_id: string;
  is_private: boolean;
}

/** The part of a repository in the sums of its owner, in the same columns. Null: it counts for no owner. */
export interface SummedRepositoriesTable {
  repository_id: string;
  owner_id: string | null;
  is_private: boolean | null;
}

/** Repositories whose part changes at the end of a transaction, which empties the table before others see it. */
export interface UnsummedRepositoriesTable {
  transaction_id: string;
  repository_id: string;
}

/** Times of the polls that cover all repositories of an installed owner. */
export interface OwnerPollsTable {
  account_id: string;
  next_at: Date;
  /** The number of requests of the last poll, or of points where the provider counts points. */
  cost: number;
  /** The provider's own position up to which changes that no listing shows are known; null: from the next poll on. */
  position: string | null;
}

/** Details that still have to be fetched. */
export interface PendingDetailsTable {
  repository_id: string;
  detail: PendingKind;
  /** A commit's id (hexadecimal) or a pull request's number; empty for the items after `noted_until`. */
  key: string;
  revision: Generated<number>;
  noted_until: Generated<string>;
  /** The meaning of an empty key: to note all items, or those without the detail, or to delete the noted ones. */
  rest: Generated<'all' | 'absent' | 'forget'>;
}

/** Parts of responses that could not be read or that the host refused, one row for each path. */
export interface SkippedItemsTable {
  provider: string;
  /** Exactly one of the two is set: the repository whose streams are read, or the account that is looked up or listed. */
  repository_id: string | null;
  account_id: string | null;
  /** Name of the stream; of an account `account` (its lookup) or `repositories` (its listing). */
  stream: string;
  /** `issue`, `review`, `repository`, `label`, ... */
  kind: string;
  reason: 'unreadable' | 'refused';
  /** The path of the field in the response, `*` for a position in a list; never a value. */
  path: string;
  /** The host's own words, where they hold no private data. */
  explanation: Generated<string>;
  /** True: the item is stored without this field. False: the item is not stored. */
  is_stored: boolean;
  /** True when the numbers of the kind are complete nevertheless. */
  is_counted: boolean;
  /** The number of such items in the last scan that met one. */
  items: number;
  first_seen_at: Date;
  /** Start of the last scan that met it. */
  seen_at: Date;
}

/** The last difference between the stored data of a repository and its host's data, one row for each part of it. */
export interface DriftsTable {
  repository_id: string;
  /** Name of the stream, or `sums` for totals that differed from the stored contributions. */
  part: string;
  expected: number;
  found: number;
  is_repaired: boolean;
  found_at: Date;
}
