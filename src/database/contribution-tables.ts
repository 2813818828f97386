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
  failure: string | null;
  /** Whether the last scan that read everything, and the running one, read what an installed repository is known by. */
  is_deep: Generated<boolean>;
  scan_is_deep: Generated<boolean>;
  /** The provider hinted then that there is something new. */
  hinted_at: Date | null;
  /** Something is gone, or was lost: all has to be read anew. */
  full_scan_wanted_at: Date | null;
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
