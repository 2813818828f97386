import type { Generated } from 'kysely';
import type { Detail, ItemKind } from '../contributions/contribution.ts';

/** Tables of what people did. `Date` is timestamptz; a day is text, `YYYY-MM-DD`. */

/** How far one kind of a repository's contributions is read. */
export interface StreamsTable {
  repository_id: string;
  name: string;
  /** Kinds of contributions that are known completely once it was read whole. */
  covers: string[];
  /** Where the running scan stands; for commits, the tip that is stored. */
  cursor: string | null;
  page_size: number | null;
  /** Null: no scan is running. */
  scan_started_at: Date | null;
  /** Whether the running scan reads everything, so that what it did not see is gone. */
  scan_is_full: Generated<boolean>;
  /** How many items the provider said there were when the running scan began; null: it did not say. */
  scan_total: number | null;
  /** Of the history: grows when all of it has to be read anew to know what is gone. */
  scan_number: Generated<number>;
  /** Of the history: newest commits of which some, but maybe not all, are stored. */
  pending_tips: Generated<string[]>;
  /** Everything that changed before is stored. */
  known_until: Date | null;
  /** When a scan last ended; null: the stream was never read whole. */
  completed_at: Date | null;
  /** When the last scan that read everything began. */
  full_scan_at: Date | null;
  /** What the provider said when the repository was last listed: how many items, the newest change, the newest commit. */
  provider_total: number | null;
  provider_changed_at: Date | null;
  provider_revision: string | null;
  /** Code of the error that stopped the last read; null: it did not fail. */
  failure: string | null;
  /** When it failed, and the host's own reason where it holds no private data. */
  failed_at: Date | null;
  failure_reason: string | null;
  /** Whether the last scan that read everything, and the running one, read what an installed repository is known by. */
  is_deep: Generated<boolean>;
  scan_is_deep: Generated<boolean>;
  /** The provider hinted then that there is something new. */
  hinted_at: Date | null;
  /** Something is gone, or was lost: all has to be read anew. */
  full_scan_wanted_at: Date | null;
  /** When the host withheld the list the last time it was read; null: it showed it. */
  withheld_at: Date | null;
}

/** What deliveries said about stars, summed for each second; deleted when no delivery of the account came for long. */
export interface StarEventsTable {
  repository_id: string;
  /** The account's id at its host. */
  external_id: string;
  /** The row at `-infinity` says whether the star was stored before the first delivery: 1, or -1. */
  at: Date;
  /** How often it was given minus how often it was taken back. */
  balance: number;
  noted_at: Date;
}

export interface ContributionsTable {
  repository_id: string;
  kind: ItemKind;
  /** Of a star: that of the account. */
  external_id: string;
  /** The pull request that a review is of; the issue or pull request that a comment is below. */
  parent_external_id: string | null;
  /** Null: the author's account is gone, or was never one. */
  account_id: string | null;
  answered_by: string | null;
  answered: Generated<boolean>;
  created_at: Date;
  updated_at: Date;
  closed_at: Date | null;
  merged_at: Date | null;
  /** Start of the last scan that saw it. */
  seen_at: Date;
  /** Of an issue or a pull request; of a comment, that of what it is below. The rest is known of installed repositories. */
  number: number | null;
  /** Who closed an issue, or the author of the pull request that did; who wrote the accepted answer. */
  resolved_by: string | null;
  /** When the answer of a discussion was accepted, where that is known. */
  answered_at: Date | null;
  assignees: string[] | null;
  /** Who was asked for a review, or gave one. */
  reviewers: string[] | null;
  comments: number | null;
  /** What each reaction was, in the provider's words; who reacted stands at the same place of `reactors`. */
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
  /** Why an issue is closed or open again, in the provider's words. */
  reason: string | null;
}

/** E-mail address in commits, and the account that it belongs to. */
export interface IdentitiesTable {
  id: Generated<number>;
  provider: string;
  email: string;
  /** Null with `resolved_at`: the host showed a commit by the address, and no account. Null without: not known. */
  account_id: string | null;
  resolved_at: Date | null;
}

export interface CommitsTable {
  repository_id: string;
  oid: Buffer;
  authored_at: Date;
  committed_at: Date;
  /** Of the scan that last saw it. */
  scan_number: number;
  /** Author first, then co-authors. */
  identity_ids: number[];
  /** Lines and files that it changed; null: not asked for. */
  additions: number | null;
  deletions: number | null;
  changed_files: number | null;
  /** Their paths. */
  files: string[] | null;
}

/** Address that a repository's commits name, and how far its account was looked up there. */
export interface RepositoryIdentitiesTable {
  repository_id: string;
  identity_id: number;
  /** True when the address authored a commit; otherwise commits name it as co-author alone. */
  is_author: boolean;
  /** True when the repository's totals may count commits that name it. */
  is_counted: Generated<boolean>;
  /** How many lookups left its account unknown. */
  attempts: Generated<number>;
  /** When the next lookup is due after such a lookup. */
  retry_at: Date | null;
}

/** Commits that are stored and not yet in the totals. */
export interface UncountedCommitsTable {
  repository_id: string;
  oid: Buffer;
}

export interface RepositoryTotalsTable {
  repository_id: string;
  commits: number;
  issues: number;
  issues_closed: number;
  pull_requests: number;
  pull_requests_merged: number;
  reviews: number;
  discussions: number;
  discussions_answered: number;
  issue_comments: Generated<number>;
  pull_request_comments: Generated<number>;
  review_comments: Generated<number>;
  /** How many who starred it are stored. */
  stars: Generated<number>;
  /** False: commits have to be counted from the beginning, for they, or whose they are, changed. */
  commits_counted: Generated<boolean>;
  /** Something changed since that was last told. */
  is_changed: Generated<boolean>;
}

export interface ContributorTotalsTable {
  repository_id: string;
  account_id: string;
  commits: number;
  issues: number;
  issues_closed: Generated<number>;
  pull_requests: number;
  pull_requests_merged: Generated<number>;
  reviews: number;
  discussions: number;
  discussions_answered: Generated<number>;
}

/** A user's contributions by day as the provider reports them. */
export interface CalendarsTable {
  account_id: string;
  first_day: string;
  /** One number for each day from the first one on. */
  counts: number[];
  total: number;
  /** Private contributions that the user publishes at the provider are among them. */
  includes_private: boolean;
  fetched_at: Date;
}

/** What somebody contributed to a repository on one day (UTC). */
export interface ContributionDaysTable {
  account_id: string;
  repository_id: string;
  day: string;
  commits: Generated<number>;
  issues: Generated<number>;
  pull_requests: Generated<number>;
  reviews: Generated<number>;
  discussions: Generated<number>;
}

/** Whose stored numbers changed in a repository since they were last brought up to date. Triggers keep it. */
export interface ChangedContributorsTable {
  repository_id: string;
  account_id: string;
  /** False: the repository was being read for the first time. */
  is_news: boolean;
}

/** When the repositories of an installed owner are polled together. */
export interface OwnerPollsTable {
  account_id: string;
  next_at: Date;
  /** Requests of the last poll, or points where the provider counts those. */
  cost: number;
  /** The provider's: up to where changes are known that no listing tells; null: from the next poll on. */
  position: string | null;
}

/** When a repository is asked about what no delivery tells. */
export interface RepositoryPollsTable {
  repository_id: string;
  next_at: Date;
  interval_s: number;
  /** Of what was seen last: another one means that something happened. */
  digest: string;
}

/** A listing of contributors as it was at one version, so that its pages fit together. */
export interface RankingsTable {
  id: Generated<number>;
  account_id: string;
  /** Null: all repositories of the account. */
  repository_id: string | null;
  /** Made of private repositories too. */
  includes_private: Generated<boolean>;
  version: number;
  built_at: Date;
}

export interface RanksTable {
  ranking_id: number;
  rank: number;
  account_id: string;
  contributions: number;
}

/** What is to be asked for. */
export interface LackingDetailsTable {
  repository_id: string;
  detail: Detail;
  /** A commit's id, hexadecimal; a pull request's number. */
  key: string;
  noted: Generated<number>;
}

/** Parts of responses that could not be read or that the host refused, one row for each place. */
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
  /** Place of the field in the response, `*` for a position in a list; never a value. */
  path: string;
  /** The host's own words, where they hold no private data. */
  explanation: Generated<string>;
  /** True: the item is stored without this field. False: the item is not stored. */
  is_stored: boolean;
  /** Whether the numbers of the kind are complete all the same. */
  is_counted: boolean;
  /** How many items the last scan that saw the place has met there. */
  items: number;
  first_seen_at: Date;
  /** Start of the last scan that met it. */
  seen_at: Date;
}

/** The last difference between what is stored of a repository and what its host has, one row for each part of it. */
export interface DriftsTable {
  repository_id: string;
  /** Name of the stream, or `sums` for totals that were counted wrong from what is stored. */
  what: string;
  expected: number;
  found: number;
  is_repaired: boolean;
  found_at: Date;
}
