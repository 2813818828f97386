import { makeCommit } from './commits.ts';
import {
  type Account,
  type Commit,
  type Discussion,
  type DiscussionCategory,
  discussionCategories,
  type Issue,
  type Person,
  type PullRequest,
  type Repository,
  type Review,
  type ReviewState,
  type Thread,
} from './model.ts';
import { emitEvent } from './report-changes.ts';
import { nodeId, type World } from './world.ts';

/** The options of adding one thing; times default to now. */
export interface Authored {
  author: Account;
  createdAt?: Date;
}

/** Adds a repository; properties that are not given get plain values. */
export function addRepository(
  world: World,
  described: Partial<Repository> & { ownerId: number; name: string; createdAt: Date },
): Repository {
  const id = world.newId();
  const repository: Repository = {
    id,
    nodeId: nodeId('R', id),
    visibility: 'public',
    description: null,
    isFork: false,
    isArchived: false,
    hasDiscussions: true,
    language: null,
    license: null,
    defaultBranch: 'main',
    forkCount: 0,
    sizeKib: 0,
    updatedAt: described.createdAt,
    pushedAt: null,
    collaboratorIds: [],
    stars: [],
    commits: [],
    issues: [],
    pullRequests: [],
    discussions: [],
    lastNumber: 0,
    files: new Map(),
    ...described,
  };
  world.repositories.push(repository);
  emitEvent(world, repository, 'repository.created', repository.ownerId);
  return repository;
}

export function addIssue(world: World, repository: Repository, { author, createdAt = world.now() }: Authored): Issue {
  const id = world.newId();
  const issue: Issue = {
    ...newThread(repository, author, createdAt),
    id,
    nodeId: nodeId('I', id),
    stateReason: null,
    linkedPullRequestIds: [],
  };
  repository.issues.push(issue);
  world.addItem({ kind: 'issue', repository, item: issue });
  emitEvent(world, repository, 'issues.opened', author.id, { issue });
  return issue;
}

/** @param by.closes the issues that it will close when it is merged. */
export function addPullRequest(
  world: World,
  repository: Repository,
  options: Authored & { isDraft?: boolean; files?: PullRequest['files']; commits?: number; closes?: readonly Issue[] },
): PullRequest {
  const { author, createdAt = world.now(), isDraft = false, closes = [] } = options;
  const id = world.newId();
  const pullRequest: PullRequest = {
    ...newThread(repository, author, createdAt),
    id,
    nodeId: nodeId('PR', id),
    isDraft,
    mergedAt: null,
    mergedById: null,
    reviews: [],
    reviewComments: [],
    requestedReviewerIds: [],
    files: options.files ?? [{ path: 'README.md', additions: 1, deletions: 0 }],
    commitCount: options.commits ?? 1,
  };
  repository.pullRequests.push(pullRequest);
  for (const issue of closes) issue.linkedPullRequestIds.push(id);
  world.addItem({ kind: 'pull_request', repository, item: pullRequest });
  emitEvent(world, repository, 'pull_request.opened', author.id, { pullRequest });
  return pullRequest;
}

function newThread(repository: Repository, author: Account, createdAt: Date): Omit<Thread, 'id' | 'nodeId'> {
  repository.lastNumber += 1;
  const number = repository.lastNumber;
  return {
    number,
    authorId: author.id,
    title: `Issue ${number} of "${repository.name}" <b>`,
    createdAt,
    updatedAt: createdAt,
    closedAt: null,
    labels: [],
    assigneeIds: [],
    comments: [],
    reactions: [],
    closings: [],
  };
}

/** Adds a review; only its author sees a pending one, until `submitReview`. */
export function addReview(
  world: World,
  pullRequest: PullRequest,
  { author, createdAt = world.now(), state = 'APPROVED' }: Authored & { state?: ReviewState },
): Review {
  const id = world.newId();
  const review: Review = {
    id,
    nodeId: nodeId('PRR', id),
    authorId: author.id,
    state,
    createdAt,
    updatedAt: createdAt,
    submittedAt: null,
  };
  pullRequest.reviews.push(review);
  const repository = findRepository(world, pullRequest);
  world.addItem({ kind: 'review', repository, item: review, pull: pullRequest });
  world.markChanged();
  if (state !== 'PENDING') submitReview(world, pullRequest, review, state, createdAt);
  return review;
}

/** Publishes a pending review, and removes its author from the requested reviewers. */
export function submitReview(
  world: World,
  pullRequest: PullRequest,
  review: Review,
  state: Exclude<ReviewState, 'PENDING'>,
  at = world.now(),
): void {
  Object.assign(review, { state, submittedAt: at, updatedAt: at });
  pullRequest.requestedReviewerIds = pullRequest.requestedReviewerIds.filter((id) => id !== review.authorId);
  touch(pullRequest, at);
  const details = { pullRequest, review };
  emitEvent(world, findRepository(world, pullRequest), 'pull_request_review.submitted', review.authorId, details);
}

export function addDiscussion(
  world: World,
  repository: Repository,
  options: Authored & { category?: DiscussionCategory },
): Discussion {
  const { author, createdAt = world.now(), category = discussionCategories.questions } = options;
  const id = world.newId();
  repository.lastNumber += 1;
  const discussion: Discussion = {
    id,
    nodeId: nodeId('D', id),
    number: repository.lastNumber,
    authorId: author.id,
    title: `Discussion ${repository.lastNumber}`,
    createdAt,
    updatedAt: createdAt,
    closedAt: null,
    stateReason: null,
    category,
    labels: [],
    // As on GitHub, the author's own upvote is the first.
    upvoterIds: [author.id],
    reactions: [],
    comments: [],
    answerId: null,
    answerChosenAt: null,
    answerChosenById: null,
  };
  repository.discussions.push(discussion);
  world.addItem({ kind: 'discussion', repository, item: discussion });
  emitEvent(world, repository, 'discussion.created', author.id, { discussion });
  return discussion;
}

/** Adds a commit to the default branch. */
export function addCommit(
  world: World,
  repository: Repository,
  options: {
    author: Person;
    coAuthors?: Person[];
    /** Default: the author. */
    committer?: Person;
    at?: Date;
    /** The author date, if long before the commit. */
    authoredAt?: Date;
    parents?: Commit[];
    message?: string;
    paths?: Commit['paths'];
  },
): Commit {
  const at = options.at ?? world.now();
  const last = repository.commits.at(-1);
  const parents = options.parents ?? (last === undefined ? [] : [last]);
  const message = options.message ?? `Change ${repository.commits.length + 1} of ${repository.name}`;
  const commit = makeCommit(parents, {
    author: options.author,
    coAuthors: options.coAuthors ?? [],
    ...(options.committer && { committer: options.committer }),
    message,
    authoredAt: options.authoredAt ?? at,
    committedAt: at,
  });
  if (options.paths !== undefined) commit.paths = options.paths;
  repository.commits.push(commit);
  repository.pushedAt = later(repository.pushedAt, at);
  touch(repository, at);
  const push = { before: last?.oid ?? null, after: commit.oid, forced: false, commits: [commit] };
  const pusher = (): number => world.accountByEmail(commit.author.email)?.id ?? repository.ownerId;
  emitEvent(world, repository, 'push', pusher, { push });
  return commit;
}

/**
 * Returns the repository of an item.
 * @throws {Error} when the item was removed.
 */
export function findRepository(world: World, item: { nodeId: string }): Repository {
  const repository = world.repositoryOf(item);
  if (repository === undefined) throw new Error(`${item.nodeId} is in no repository`);
  return repository;
}

/** Sets the time of an item's last change. */
export function touch(item: { updatedAt: Date }, at: Date): void {
  item.updatedAt = later(item.updatedAt, at);
}

function later(left: Date | null, right: Date): Date {
  return left !== null && left > right ? left : right;
}
