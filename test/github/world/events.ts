import type {
  Account,
  Comment,
  Commit,
  Discussion,
  DiscussionComment,
  Issue,
  PullRequest,
  Repository,
  Review,
  ReviewComment,
} from './model.ts';

/** What an event is about, besides the repository; which of these there are follows from the event's name. */
export interface EventDetails {
  issue?: Issue;
  pullRequest?: PullRequest;
  review?: Review;
  comment?: Comment;
  reviewComment?: ReviewComment;
  discussion?: Discussion;
  discussionComment?: DiscussionComment;
  /** The name of the label that was put on or taken off. */
  label?: string;
  /** Who was assigned, asked for a review, or made a member, or is not any more. */
  account?: Account;
  push?: Push;
  /** The repository that was made of this one. */
  fork?: Repository;
  /** Of a star; null when it was taken back. */
  starredAt?: Date | null;
  /** More fields of the payload, as GitHub names them. */
  more?: Record<string, unknown>;
}

/** How the default branch moved. */
export interface Push {
  /** Null: there was or is no such branch. */
  before: string | null;
  after: string | null;
  forced: boolean;
  commits: readonly Commit[];
}

/** Something that happened, and that GitHub tells those who asked to be told. */
export interface WorldEvent {
  /** As in the header X-GitHub-Event. */
  name: string;
  /** Null for events without one, such as `push`. */
  action: string | null;
  /** Null: about an account and not about a repository. */
  repository: Repository | null;
  /** Whose repository, or which account, it is about. */
  ownerId: number;
  senderId: number;
  details: EventDetails;
}
