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
} from '../../world/model.ts';
import type { Viewer, World } from '../../world/world.ts';

/** An object of the schema: values, or functions of the field's arguments. */
export type Fields = Record<string, unknown>;

/** Functions that turn each kind of thing into an object of the schema. */
export interface FieldResolver {
  /** Null when the account is deleted. */
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

/** The context of one GraphQL request. */
export interface FieldRequest {
  world: World;
  viewer: Viewer;
  /** Returns the account that the viewer comments as in a repository, null when it may not comment. */
  commenter(repository: Repository): Account | null;
  /** The address of pages and of git. */
  origin: string;
  rateLimit: Fields;
  /** Turns things into objects of the schema, which refer to each other in circles. */
  fieldsOf: FieldResolver;
  /** The number of counted contributions of heavy accounts; past a limit the response is a failure. */
  load: number;
}

export function notFound(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type: 'NOT_FOUND' } });
}

export function faultyArgument(type: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } });
}

/** Formats a time as GitHub does. */
export function time(date: Date): string;
export function time(date: Date | null): string | null;
export function time(date: Date | null): string | null {
  return date === null ? null : date.toISOString().replace(/\.\d+Z$/, 'Z');
}
