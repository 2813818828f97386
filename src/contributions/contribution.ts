/** What counts as somebody's contribution to a repository. */
export const contributionKinds = ['commit', 'issue', 'pull_request', 'review', 'discussion'] as const;
export type ContributionKind = (typeof contributionKinds)[number];

/** One issue, pull request, review or discussion. (Commits are read by the git protocol and stored as such.) */
export interface Contribution {
  kind: Exclude<ContributionKind, 'commit'>;
  /** The provider's immutable id, unique among its kind. */
  externalId: string;
  /** The pull request that a review is of. */
  parentExternalId: string | null;
  /** External id of who opened, submitted or started it; null when that account is gone. */
  author: string | null;
  createdAt: Date;
  updatedAt: Date;
  closedAt: Date | null;
  mergedAt: Date | null;
  /** Whether a discussion has an accepted answer, and the external id of who wrote it. */
  answered: boolean;
  answeredBy: string | null;
}
