import type {
  Comment,
  Commit,
  Discussion,
  DiscussionComment,
  Issue,
  PullRequest,
  Repository,
  Review,
} from './model.ts';

/** What an event is about, besides the repository; which of these there are follows from the event's name. */
export interface EventDetails {
  issue?: Issue;
  pullRequest?: PullRequest;
  review?: Review;
  comment?: Comment;
  discussion?: Discussion;
  discussionComment?: DiscussionComment;
  commits?: readonly Commit[];
  /** More fields of the payload, as GitHub names them. */
  more?: Record<string, unknown>;
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
