import type { Kind } from './kinds.ts';

export { type ContributionKind, contributionKinds } from './kinds.ts';

/** The kinds of items that are stored one by one. Commits have a table of their own. */
export type ItemKind = Exclude<Kind, 'commit'>;

/**
 * Returns the kinds of items that a stream lists one by one: the first one, because the others arrive within its items.
 * A stream of comments lists all of its kinds.
 */
export function listedKinds(covers: readonly (ItemKind | 'commit')[]): ItemKind[] {
  const items = covers.filter((kind) => kind !== 'commit');
  return items[0] === 'issue_comment' ? items : items.slice(0, 1);
}

/**
 * One issue, pull request, review, discussion, comment or star. Commits are read by the git protocol and stored
 * separately.
 */
export interface Contribution {
  kind: ItemKind;
  /** The provider's immutable id, unique among its kind; for a star, the account's id. */
  externalId: string;
  /** The pull request that a review belongs to. */
  parentExternalId: string | null;
  /** External id of the account that opened, submitted, started or wrote it; null when that account is deleted. */
  author: string | null;
  createdAt: Date;
  updatedAt: Date;
  closedAt: Date | null;
  mergedAt: Date | null;
  /** True when a discussion has an accepted answer; `answeredBy` is the external id of its author. */
  answered: boolean;
  answeredBy: string | null;
  /** The time when the answer of a discussion was accepted; absent or null: not known. */
  answeredAt?: Date | null;
  /** The number and the title of an issue, pull request or discussion; absent: not known. */
  heading?: Heading;
  /** Null when it was read only for counting. */
  details: ContributionDetails | null;
}

/** The number of an item and its title in the words of its author. */
export interface Heading {
  number: number;
  title: string | null;
}

/**
 * Details of a contribution to an installed repository. Null where the kind has no such field. Accounts are external
 * ids.
 */
export interface ContributionDetails {
  /** The number of an issue or pull request; for a comment, the number of the item that it belongs to. */
  number: number | null;
  /**
   * The account that closed an issue, or the author of the pull request that did; or the author of the accepted answer.
   */
  resolvedBy: string | null;
  /** The account that merged a pull request; null also where it is not known. */
  mergedBy: string | null;
  /** The time when the answer of a discussion was accepted. */
  answeredAt: Date | null;
  assignees: readonly string[];
  /** Accounts whose review was requested, or that gave one. */
  reviewers: readonly string[];
  labels: readonly string[];
  reactions: readonly Reaction[];
  comments: number | null;
  upvotes: number | null;
  additions: number | null;
  deletions: number | null;
  changedFiles: number | null;
  commits: number | null;
  /** The reason why an issue is closed or open again, in the provider's words. */
  reason: string | null;
  /** The present state of a review. */
  state: ReviewState | null;
}

export const reviewStates = ['approved', 'changes_requested', 'commented', 'dismissed'] as const;
export type ReviewState = (typeof reviewStates)[number];

interface Reaction {
  /** GitHub's name, such as `THUMBS_UP`, for a reaction that GitHub has too; otherwise the provider's own name. */
  emoji: string;
  /** Null when that account is deleted. */
  reactor: string | null;
}

export const noDetails: ContributionDetails = {
  number: null,
  resolvedBy: null,
  mergedBy: null,
  answeredAt: null,
  assignees: [],
  reviewers: [],
  labels: [],
  reactions: [],
  comments: null,
  upvotes: null,
  additions: null,
  deletions: null,
  changedFiles: null,
  commits: null,
  reason: null,
  state: null,
};

/**
 * Details that are expensive to read, and read only where they are needed: lines and files that commits change, and
 * files that pull requests change.
 */
export type Detail = 'commit_lines' | 'commit_files' | 'pull_request_files';

/** Details, and the languages of the files that commits change, which cards show. */
export type PendingKind = Detail | 'commit_languages';

export interface LineCounts {
  additions: number;
  deletions: number;
  /** Null when the provider does not report it. */
  changedFiles: number | null;
}

/** A user's contributions by day as the provider itself counts and shows them. */
export interface ReportedCalendar {
  /** `YYYY-MM-DD`, as the provider assigns contributions to days. */
  firstDay: string;
  /** Contributions on each day from the first one on, 371 at most: 53 weeks. */
  counts: readonly number[];
  /** The provider's own sum. */
  total: number;
  /** True when private contributions that the user publishes at the provider are included. */
  includesPrivate: boolean;
}
