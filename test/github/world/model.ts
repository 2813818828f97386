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
}

export interface Issue {
  id: number;
  nodeId: string;
  number: number;
  authorId: number;
  title: string;
  createdAt: Date;
  updatedAt: Date;
  closedAt: Date | null;
  stateReason: 'COMPLETED' | 'NOT_PLANNED' | null;
  labels: string[];
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

export interface PullRequest extends Omit<Issue, 'stateReason'> {
  isDraft: boolean;
  mergedAt: Date | null;
  reviews: Review[];
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

/** What somebody wrote below an issue or a pull request, or at a line of a pull request's changes. */
export interface Comment {
  id: number;
  nodeId: string;
  authorId: number;
  createdAt: Date;
  updatedAt: Date;
  reactions: Reaction[];
}

export interface DiscussionComment {
  id: number;
  nodeId: string;
  authorId: number;
  createdAt: Date;
}

export interface Discussion {
  id: number;
  nodeId: string;
  number: number;
  authorId: number;
  title: string;
  createdAt: Date;
  updatedAt: Date;
  closedAt: Date | null;
  comments: DiscussionComment[];
  answerId: number | null;
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
  stars: { accountId: number; starredAt: Date }[];
  /** The default branch, oldest first; each commit after its parents. */
  commits: Commit[];
  issues: Issue[];
  pullRequests: PullRequest[];
  discussions: Discussion[];
}
