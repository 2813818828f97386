import type { Changes, Tree } from './tree.ts';

/** The data of the simulated GitHub. Ids are those of its databases; times are in whole seconds. */

/** A mannequin stands for a person of another host whose work was imported. */
export type AccountType = 'User' | 'Organization' | 'Bot' | 'Mannequin';

export interface Account {
  id: number;
  nodeId: string;
  type: AccountType;
  login: string;
  /** The name in REST where it differs from the login; null otherwise. */
  restLogin: string | null;
  name: string | null;
  bio: string | null;
  websiteUrl: string | null;
  twitter: string | null;
  socialAccounts: { provider: 'LINKEDIN' | 'MASTODON' | 'GENERIC'; displayName: string; url: string }[];
  /** Verified addresses; commits with them are this account's. */
  emails: string[];
  followers: number;
  following: number;
  createdAt: Date;
  updatedAt: Date;
  /** True when the account is deleted: its contributions stay, without an author. */
  isDeleted: boolean;
  /** True when requests for much of the account's activity at once fail. */
  isHeavy: boolean;
  /** True when the profile shows the number of private contributions to every visitor. */
  publishesPrivateCounts: boolean;
  /** The login that the account takes once a request names its present login or this one. */
  nextLogin: string | null;
}

/** A team of an organization. */
export interface Team {
  id: number;
  organizationId: number;
  slug: string;
  memberIds: number[];
}

export interface Membership {
  organizationId: number;
  accountId: number;
  role: 'admin' | 'member';
  state: 'active' | 'pending';
}

export interface Person {
  name: string;
  email: string;
}

export interface Commit {
  oid: string;
  parents: string[];
  author: Person;
  committer: Person;
  coAuthors: Person[];
  message: string;
  authoredAt: Date;
  committedAt: Date;
  tree: Tree;
  /** Changes since the first parent, as git serves them. */
  changes: Changes;
  /** Paths of the repository's `files` that the commit changed; git serves the commit without them. */
  paths?: { added: string[]; modified: string[]; removed: string[] };
}

export const reactionContents = [
  'THUMBS_UP',
  'THUMBS_DOWN',
  'LAUGH',
  'HOORAY',
  'CONFUSED',
  'HEART',
  'ROCKET',
  'EYES',
] as const;

export interface Reaction {
  id: number;
  accountId: number;
  content: (typeof reactionContents)[number];
  createdAt: Date;
}

/** A thing that people can react to. */
export interface Reactable {
  nodeId: string;
  reactions: Reaction[];
}

/** A comment on an issue or a pull request. */
export interface Comment extends Reactable {
  id: number;
  authorId: number;
  body: string;
  createdAt: Date;
  updatedAt: Date;
}

/** A comment on a line of a pull request's changes, as part of a review. */
export interface ReviewComment extends Comment {
  reviewId: number;
  path: string;
}

/** One closing of an item; `closer` is null when nothing but a person closed it. */
export interface Closing {
  id: number;
  at: Date;
  byId: number;
  closer: { pullRequestId: number } | { commitOid: string } | null;
}

/** Properties that issues and pull requests share. */
export interface Thread extends Reactable {
  id: number;
  number: number;
  authorId: number;
  title: string;
  createdAt: Date;
  updatedAt: Date;
  closedAt: Date | null;
  labels: string[];
  assigneeIds: number[];
  comments: Comment[];
  /** Oldest first. */
  closings: Closing[];
}

export type StateReason = 'COMPLETED' | 'NOT_PLANNED' | 'REOPENED' | 'DUPLICATE';

export interface Issue extends Thread {
  stateReason: StateReason | null;
  /** Ids of the pull requests that declare that they close the issue. */
  linkedPullRequestIds: number[];
}

export type ReviewState = 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING';

export interface Review {
  id: number;
  nodeId: string;
  authorId: number;
  state: ReviewState;
  createdAt: Date;
  updatedAt: Date;
  /** Null while only the author sees the review. */
  submittedAt: Date | null;
}

/** A file that a pull request changes. */
export interface ChangedFile {
  path: string;
  additions: number;
  deletions: number;
}

export interface PullRequest extends Thread {
  isDraft: boolean;
  mergedAt: Date | null;
  mergedById: number | null;
  reviews: Review[];
  reviewComments: ReviewComment[];
  requestedReviewerIds: number[];
  files: ChangedFile[];
  commitCount: number;
}

export interface DiscussionComment extends Comment {
  upvoterIds: number[];
}

export interface DiscussionCategory {
  id: number;
  name: string;
  isAnswerable: boolean;
}

export const discussionCategories = {
  questions: { id: 1, name: 'Q&A', isAnswerable: true },
  general: { id: 2, name: 'General', isAnswerable: false },
  ideas: { id: 3, name: 'Ideas', isAnswerable: false },
} as const satisfies Record<string, DiscussionCategory>;

export interface Discussion extends Reactable {
  id: number;
  number: number;
  authorId: number;
  title: string;
  createdAt: Date;
  updatedAt: Date;
  closedAt: Date | null;
  stateReason: 'RESOLVED' | 'OUTDATED' | 'DUPLICATE' | 'REOPENED' | null;
  category: DiscussionCategory;
  labels: string[];
  upvoterIds: number[];
  comments: DiscussionComment[];
  answerId: number | null;
  answerChosenAt: Date | null;
  answerChosenById: number | null;
}

export interface Star {
  accountId: number;
  starredAt: Date;
}

export interface Repository {
  id: number;
  nodeId: string;
  ownerId: number;
  name: string;
  visibility: 'public' | 'private' | 'internal';
  description: string | null;
  isFork: boolean;
  isArchived: boolean;
  hasDiscussions: boolean;
  language: string | null;
  license: { name: string; spdxId: string } | null;
  defaultBranch: string;
  forkCount: number;
  sizeKib: number;
  createdAt: Date;
  updatedAt: Date;
  pushedAt: Date | null;
  /** Collaborators: accounts with access that are not members of the owner. */
  collaboratorIds: number[];
  stars: Star[];
  /** Commits of the default branch, oldest first, each after its parents. */
  commits: Commit[];
  issues: Issue[];
  pullRequests: PullRequest[];
  discussions: Discussion[];
  /** The last number that an issue, pull request or discussion got; no number is used twice. */
  lastNumber: number;
  /** Texts on the default branch by path. */
  files: Map<string, string>;
}

export function isPullRequest(item: Issue | PullRequest | Discussion): item is PullRequest {
  return 'mergedAt' in item;
}

export function isDiscussion(item: Issue | PullRequest | Discussion): item is Discussion {
  return 'category' in item;
}
