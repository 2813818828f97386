/** What counts as somebody's contribution to a repository. */
export const contributionKinds = ['commit', 'issue', 'pull_request', 'review', 'discussion'] as const;
export type ContributionKind = (typeof contributionKinds)[number];

/** What is stored one by one, besides commits; comments and stars count for nothing but achievements. */
export type ItemKind =
  | Exclude<ContributionKind, 'commit'>
  | 'issue_comment'
  | 'pull_request_comment'
  /** At a line of a pull request's changes. */
  | 'review_comment'
  | 'star';

/** A stream lists its first kind; the rest comes with it, but for comments, which one list tells of both kinds. */
export function listedKinds(covers: readonly (ItemKind | 'commit')[]): ItemKind[] {
  const items = covers.filter((kind) => kind !== 'commit');
  return items[0] === 'issue_comment' ? items : items.slice(0, 1);
}

/** One issue, pull request, review, discussion, comment or star. (Commits are read by the git protocol and stored as such.) */
export interface Contribution {
  kind: ItemKind;
  /** The provider's immutable id, unique among its kind; of a star, that of the account. */
  externalId: string;
  /** The pull request that a review is of. */
  parentExternalId: string | null;
  /** External id of who opened, submitted, started or wrote it; null when that account is gone. */
  author: string | null;
  createdAt: Date;
  updatedAt: Date;
  closedAt: Date | null;
  mergedAt: Date | null;
  /** Whether a discussion has an accepted answer, and the external id of who wrote it. */
  answered: boolean;
  answeredBy: string | null;
  /** Null: it was read for counting alone. */
  details: ContributionDetails | null;
}

/** What an installed repository's contributions are known by besides. Null: the kind has no such thing. People are external ids. */
export interface ContributionDetails {
  /** Of an issue or a pull request; of a comment, that of what it is below. */
  number: number | null;
  /** Who closed an issue, or the author of the pull request that did; who wrote the accepted answer. */
  resolvedBy: string | null;
  /** When the answer of a discussion was accepted. */
  answeredAt: Date | null;
  assignees: readonly string[];
  /** Who was asked for a review, or gave one. */
  reviewers: readonly string[];
  labels: readonly string[];
  reactions: readonly Reaction[];
  comments: number | null;
  upvotes: number | null;
  additions: number | null;
  deletions: number | null;
  changedFiles: number | null;
  commits: number | null;
  /** Why an issue is closed or open again, in the provider's words. */
  reason: string | null;
}

export interface Reaction {
  /** GitHub's name, `THUMBS_UP`, of what GitHub has too; else in the provider's words. */
  emoji: string;
  /** Null: that account is gone. */
  reactor: string | null;
}

export const noDetails: ContributionDetails = {
  number: null,
  resolvedBy: null,
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
};

/** What takes effort of its own and is read only where it is needed: lines and files that commits change, files that pull requests do. */
export type Detail = 'commit_lines' | 'commit_files' | 'pull_request_files';

export interface LineCounts {
  additions: number;
  deletions: number;
  /** Null: the provider does not tell. */
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
  /** Private contributions that the user publishes at the provider are among them. */
  includesPrivate: boolean;
}
