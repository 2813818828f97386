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

/** The subjects of an event other than its repository. The name of the event decides which ones are present. */
export interface EventDetails {
  issue?: Issue;
  pullRequest?: PullRequest;
  review?: Review;
  comment?: Comment;
  reviewComment?: ReviewComment;
  discussion?: Discussion;
  discussionComment?: DiscussionComment;
  /** The name of the label that was added or removed. */
  label?: string;
  /** The account that was assigned, requested for a review or made a member, or no longer is. */
  account?: Account;
  push?: Push;
  /** The fork that was made of this repository. */
  fork?: Repository;
  /** The time of a star; null when the star was removed. */
  starredAt?: Date | null;
  /** More fields of the payload, as GitHub names them. */
  more?: Record<string, unknown>;
}

/** A move of the default branch. */
export interface Push {
  /** Null: the branch did not exist before (`before`) or does not exist any more (`after`). */
  before: string | null;
  after: string | null;
  forced: boolean;
  commits: readonly Commit[];
}

/** An event that GitHub sends to its subscribers. */
export interface WorldEvent {
  /** The value of the header X-GitHub-Event. */
  name: string;
  /** Null for events without one, such as `push`. */
  action: string | null;
  /** Null for events about an account. */
  repository: Repository | null;
  /** The owner of the repository, or the account that the event is about. */
  ownerId: number;
  senderId: number;
  details: EventDetails;
}
