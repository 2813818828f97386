import type { Changes, Tree } from './tree.ts';

/** What the simulated GitHub holds. Ids are those of its databases; times are in whole seconds. */

/** A mannequin stands for somebody of another host, whose work was imported. */
export type AccountType = 'User' | 'Organization' | 'Bot' | 'Mannequin';

export interface Account {
  id: number;
  nodeId: string;
  type: AccountType;
  login: string;
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
  /** Gone: what it wrote stays, without an author. */
  isDeleted: boolean;
  /** Asking for much of it at once is too much. */
  isHeavy: boolean;
  /** Whether the profile shows everybody how many private contributions there are. */
  publishesPrivateCounts: boolean;
  /** Once it has been asked for by its login, it is called this. */
  nextLogin: string | null;
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
  /** Since its first parent, as git is served. */
  changes: Changes;
  /** What it did to files that the repository shows; git is served without them. */
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

/** What people can react to. */
export interface Reactable {
  nodeId: string;
  reactions: Reaction[];
}

/** What somebody wrote below an issue or a pull request. */
export interface Comment extends Reactable {
  id: number;
  authorId: number;
  body: string;
  createdAt: Date;
  updatedAt: Date;
}

/** What somebody wrote at a line of a pull request's changes, as part of a review. */
export interface ReviewComment extends Comment {
  reviewId: number;
  path: string;
}

/** One time that something was closed, and by what besides a person. */
export interface Closing {
  id: number;
  at: Date;
  byId: number;
  closer: { pullRequestId: number } | { commitOid: string } | null;
}

/** What issues and pull requests have in common. */
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
  /** Pull requests that say that they close it. */
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
  /** Null while only its author sees it. */
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
  /** Accounts that may see it besides its owner's people. */
  collaboratorIds: number[];
  stars: Star[];
  /** The default branch, oldest first; each commit after its parents. */
  commits: Commit[];
  issues: Issue[];
  pullRequests: PullRequest[];
  discussions: Discussion[];
  /** The last number that was given to an issue, pull request or discussion; none is given twice. */
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
