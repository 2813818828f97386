import { GraphQLError } from 'graphql';
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
} from '../world/model.ts';
import type { Viewer, World } from '../world/world.ts';

/** An object of the schema: values, or functions of the field's arguments. */
export type Fields = Record<string, unknown>;

/** How each kind of thing is told. */
export interface Teller {
  /** Null when the account is gone. */
  author(accountId: number): Fields | null;
  account(account: Account): Fields;
  repository(repository: Repository): Fields;
  commit(repository: Repository, commit: Commit): Fields;
  issue(repository: Repository, issue: Issue): Fields;
  pullRequest(repository: Repository, pull: PullRequest): Fields;
  review(repository: Repository, pull: PullRequest, review: Review): Fields;
  comment(repository: Repository, thread: Issue | PullRequest, comment: Comment): Fields;
  reviewComment(repository: Repository, pull: PullRequest, comment: ReviewComment): Fields;
  discussion(repository: Repository, discussion: Discussion): Fields;
  discussionComment(repository: Repository, discussion: Discussion, comment: DiscussionComment): Fields;
}

/** One GraphQL request while it is answered. */
export interface Question {
  world: World;
  viewer: Viewer;
  /** As whom the viewer comments in a repository; null: it may not. */
  commenter(repository: Repository): Account | null;
  /** Where the simulator serves people and git. */
  origin: string;
  rateLimit: Fields;
  /** Tells a thing as an object of the schema; objects refer to each other in circles. */
  tell: Teller;
  /** Contributions of heavy accounts that had to be counted; past a limit the answer is a failure. */
  load: number;
}

export function notFound(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type: 'NOT_FOUND' } });
}

export function faultyArgument(type: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } });
}

/** As GitHub writes times. */
export function time(date: Date): string;
export function time(date: Date | null): string | null;
export function time(date: Date | null): string | null {
  return date === null ? null : date.toISOString().replace(/\.\d+Z$/, 'Z');
}
