import type { Comment, Commit, Reaction, ReviewComment } from '../world/model.ts';
import {
  type Account,
  type Issue,
  isPullRequest,
  type PullRequest,
  type Repository,
  type Review,
} from '../world/model.ts';
import type { Viewer, World } from '../world/world.ts';
import { recorded } from './recordings.ts';

/** Gitea's responses about a simulated world: recorded ones with the values of the world. */

/** The context of a request; `viewer` is undefined for an invalid credential. */
export interface ResponseContext {
  world: World;
  url: string;
  query: URLSearchParams;
  maxPerPage: number;
  viewer: Viewer | undefined;
  hidden: ReadonlyMap<number, string>;
  imported: ReadonlySet<number>;
  /** Repositories with an unprocessed push: Gitea shows them as empty, though git shows the commits. */
  unprocessedPushes: ReadonlySet<Repository>;
}

export interface Reply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

export type Shape = Record<string, unknown>;

export function toShape(name: string, index?: number): Shape {
  const { body } = recorded(name);
  return (index === undefined ? body : (body as Shape[])[index]) as Shape;
}

const shapes = {
  user: toShape('user-alice-anon'),
  organization: toShape('org-acme-anon'),
  repository: toShape('repo-handbook-anon'),
  issue: toShape('issues-and-pulls', 5),
  pull: toShape('issues-and-pulls', 0),
  wholePull: toShape('pull-1'),
  review: toShape('pull-1-reviews', 1),
  reviewComment: toShape('pull-1-review-comments', 0),
  comment: toShape('repo-comments', 0),
  reaction: toShape('issue-1-reactions', 0),
  commit: toShape('commits-nostat', 0),
  closing: toShape('issue-2-timeline', 4),
  closingReference: toShape('issue-2-timeline', 3),
  label: (toShape('issue-1')['labels'] as Shape[])[0],
};

/** Gitea shows a deleted account as this user. */
const ghost = { ...shapes.user, id: -1, login: 'Ghost', username: 'Ghost', full_name: 'Ghost', email: '' };

export function user(context: ResponseContext, id: number | null): Shape {
  const account = id === null ? undefined : context.world.accountById(id);
  return account === undefined ? ghost : accountAsUser(context, account);
}

export function accountAsUser({ url, hidden }: ResponseContext, account: Account): Shape {
  return {
    ...shapes.user,
    id: account.id,
    login: account.login,
    username: account.login,
    full_name: account.name ?? '',
    email: placeholder(account),
    avatar_url: toAvatar(url, account),
    website: account.websiteUrl ?? '',
    description: account.bio ?? '',
    created: time(account.createdAt),
    visibility: hidden.get(account.id) ?? 'public',
    followers_count: account.followers,
    following_count: account.following,
  };
}

export function organization({ url }: ResponseContext, account: Account): Shape {
  return {
    ...shapes.organization,
    id: account.id,
    name: account.login,
    username: account.login,
    full_name: account.name ?? '',
    avatar_url: toAvatar(url, account),
    description: account.bio ?? '',
    website: account.websiteUrl ?? '',
  };
}

/** Returns the address that Gitea shows where the real one is hidden; it belongs to the account in commits, too. */
export function placeholder({ login }: Account): string {
  return `${login.toLowerCase()}@noreply.forge.example`;
}

export function describeRepository(context: ResponseContext, repository: Repository): Shape {
  return {
    ...shapes.repository,
    id: repository.id,
    owner: user(context, repository.ownerId),
    name: repository.name,
    full_name: repository.name,
    description: repository.description ?? '',
    empty: context.unprocessedPushes.has(repository) || repository.commits.length === 0,
    private: repository.visibility === 'private',
    internal: repository.visibility === 'internal',
    fork: repository.isFork,
    size: repository.sizeKib,
    language: repository.language ?? '',
    stars_count: context.world.starsOf(repository).length,
    forks_count: repository.forkCount,
    open_issues_count: repository.issues.filter(({ closedAt }) => closedAt === null).length,
    open_pr_counter: repository.pullRequests.filter(({ closedAt }) => closedAt === null).length,
    default_branch: repository.defaultBranch,
    updated_at: time(later(repository.updatedAt, repository.pushedAt)),
  };
}

/** Returns an issue, or a pull request as the list of both shows it. */
export function item(context: ResponseContext, thread: Issue | PullRequest): Shape {
  const isPull = isPullRequest(thread);
  return {
    ...(isPull ? shapes.pull : shapes.issue),
    id: thread.id,
    number: thread.number,
    user: user(context, thread.authorId),
    original_author: context.imported.has(thread.id) ? 'somebody-elsewhere' : '',
    title: isPull && thread.isDraft ? `WIP: ${thread.title}` : thread.title,
    labels: thread.labels.map((name) => ({ ...shapes.label, name })),
    assignees: thread.assigneeIds.length === 0 ? null : thread.assigneeIds.map((id) => user(context, id)),
    comments: thread.comments.length,
    state: thread.closedAt === null ? 'open' : 'closed',
    created_at: time(thread.createdAt),
    updated_at: time(thread.updatedAt),
    closed_at: time(thread.closedAt),
    pull_request: isPull ? { merged: thread.mergedAt !== null, merged_at: time(thread.mergedAt) } : null,
  };
}

/** Returns a pull request as its own endpoint shows it, where its id differs from its id as an issue. */
export function wholePull(context: ResponseContext, pull: PullRequest): Shape {
  const { pull_request: _marker, ...common } = item(context, pull);
  const people = pull.requestedReviewerIds.map((id) => user(context, id));
  return {
    ...shapes.wholePull,
    ...common,
    id: pull.id + 500_000,
    requested_reviewers: people.length === 0 ? null : people,
    merged_by: pull.mergedById === null ? null : user(context, pull.mergedById),
  };
}

const reviewStates = {
  APPROVED: 'APPROVED',
  CHANGES_REQUESTED: 'REQUEST_CHANGES',
  COMMENTED: 'COMMENT',
  DISMISSED: 'APPROVED',
  PENDING: 'PENDING',
};

/** Returns the reviews of a pull request; Gitea lists requests for a review among them. */
export function reviews(context: ResponseContext, pull: PullRequest): Shape[] {
  const visible = pull.reviews.filter(
    ({ state, authorId }) => state !== 'PENDING' || authorId === context.viewer?.accountId,
  );
  return [
    ...pull.requestedReviewerIds.map((id) => ({
      ...shapes.review,
      id: pull.id * 100 + id,
      user: user(context, id),
      state: 'REQUEST_REVIEW',
      submitted_at: time(pull.createdAt),
      updated_at: time(pull.createdAt),
    })),
    ...visible.map((review) => toReview(context, pull, review)),
  ];
}

function toReview(context: ResponseContext, pull: PullRequest, review: Review): Shape {
  return {
    ...shapes.review,
    id: review.id,
    user: user(context, review.authorId),
    state: reviewStates[review.state],
    dismissed: review.state === 'DISMISSED',
    comments_count: pull.reviewComments.filter(({ reviewId }) => reviewId === review.id).length,
    // Gitea and Forgejo keep no time of submission, and send when the draft began: services/convert/pull_review.go.
    submitted_at: time(review.createdAt),
    updated_at: time(review.updatedAt),
  };
}

export function reviewComment(context: ResponseContext, comment: ReviewComment): Shape {
  return {
    ...shapes.reviewComment,
    id: comment.id,
    user: user(context, comment.authorId),
    pull_request_review_id: comment.reviewId,
    created_at: time(comment.createdAt),
    updated_at: time(comment.updatedAt),
  };
}

export function comment(context: ResponseContext, comment: Comment, below: Issue | PullRequest, path: string): Shape {
  const isOnPull = isPullRequest(below);
  const address = `${context.url}${path}/${isOnPull ? 'pulls' : 'issues'}/${below.number}`;
  return {
    ...shapes.comment,
    id: comment.id,
    user: user(context, comment.authorId),
    issue_url: isOnPull ? '' : address,
    pull_request_url: isOnPull ? address : '',
    body: comment.body,
    created_at: time(comment.createdAt),
    updated_at: time(comment.updatedAt),
  };
}

const emojis: Record<Reaction['content'], string> = {
  THUMBS_UP: '+1',
  THUMBS_DOWN: '-1',
  LAUGH: 'laugh',
  HOORAY: 'hooray',
  CONFUSED: 'confused',
  HEART: 'heart',
  ROCKET: 'rocket',
  EYES: 'eyes',
};

/** Returns null where there are no reactions, as Gitea does. */
export function reactions(context: ResponseContext, reactions: readonly Reaction[]): Shape[] | null {
  const living = reactions.filter(({ accountId }) => context.world.accountById(accountId) !== undefined);
  if (living.length === 0) return null;
  return living.map((entry) => reaction(context, entry));
}

function reaction(context: ResponseContext, { accountId, content, createdAt }: Reaction): Shape {
  return { ...shapes.reaction, user: user(context, accountId), content: emojis[content], created_at: time(createdAt) };
}

export function commit(context: ResponseContext, commit: Commit): Shape {
  const shape = shapes.commit;
  return {
    ...shape,
    sha: commit.oid,
    commit: {
      ...(shape['commit'] as Shape),
      author: { ...commit.author, date: time(commit.authoredAt) },
      committer: { ...commit.committer, date: time(commit.committedAt) },
      message: commit.message,
    },
    author: byAddress(context, commit.author.email),
    committer: byAddress(context, commit.committer.email),
  };
}

function byAddress(context: ResponseContext, email: string): Shape | null {
  const account =
    context.world.accountByEmail(email) ??
    context.world.accounts.find((account) => !account.isDeleted && placeholder(account) === email.toLowerCase());
  return account === undefined ? null : accountAsUser(context, account);
}

/** Returns the timeline of an issue; only the closing is simulated. */
export function timeline(context: ResponseContext, issue: Issue, pulls: readonly PullRequest[]): Shape[] {
  const closing = issue.closings.at(-1);
  if (closing === undefined || issue.closedAt === null) return [];
  const { closer, at, byId } = closing;
  const pull =
    closer !== null && 'pullRequestId' in closer ? pulls.find(({ id }) => id === closer.pullRequestId) : undefined;
  const closed = { ...shapes.closing, user: user(context, byId), created_at: time(at), updated_at: time(at) };
  if (pull === undefined) return [closed];
  const reference = {
    ...shapes.closingReference,
    user: user(context, pull.authorId),
    ref_issue: item(context, pull),
    created_at: time(pull.createdAt),
  };
  return [reference, closed];
}

function toAvatar(url: string, { id }: Account): string {
  return `${url}/avatars/u/${id}`;
}

function later(left: Date, right: Date | null): Date {
  return right !== null && right > left ? right : left;
}

export function time(at: Date): string;
export function time(at: Date | null): string | null;
export function time(at: Date | null): string | null {
  return at === null ? null : at.toISOString().replace(/\.\d{3}Z$/, 'Z');
}
