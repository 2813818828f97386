import { touch } from './activity.ts';
import { addComment, addReviewComment } from './comments.ts';
import {
  type Account,
  discussionCategories,
  type Issue,
  isPullRequest,
  type PullRequest,
  type Reactable,
  type Repository,
  reactionContents,
} from './model.ts';
import type { Random } from './random.ts';
import { react, upvote } from './reactions.ts';
import type { World } from './world.ts';

/**
 * Adds comments, reactions and participants to the items of a repository. Adds no issue, pull request, review or
 * commit.
 */
export function addDepth(world: World, random: Random, repository: Repository, people: readonly Account[]): void {
  const users = people.filter(({ type }) => type === 'User');
  if (users.length === 0) return;
  const context: DepthContext = {
    world,
    random,
    people,
    users,
    byId: new Map(people.map((person) => [person.id, person])),
  };
  for (const pull of repository.pullRequests) deepenPullRequest(context, pull);
  for (const issue of repository.issues) {
    deepenThread(context, issue);
    if (issue.closedAt !== null) deepenClosing(context, repository, issue, issue.closedAt);
  }
  for (const discussion of repository.discussions) {
    if (discussion.answerId === null && random.chance(0.5)) {
      discussion.category = random.pick([discussionCategories.general, discussionCategories.ideas]);
    }
    if (random.chance(0.3)) discussion.labels.push('ideas');
    if (random.chance(0.2)) {
      discussion.closedAt = random.time(discussion.updatedAt, world.now());
      discussion.stateReason = random.pick(['RESOLVED', 'OUTDATED', 'DUPLICATE']);
      touch(discussion, discussion.closedAt);
    }
    for (const item of [discussion, ...discussion.comments]) {
      addReactions(context, item, item.createdAt);
      for (let votes = random.integer(0, 2); votes > 0; votes -= 1) upvote(world, item, random.pick(users));
    }
  }
  if (random.chance(0.5)) repository.files.set('.plaudit/config.yaml', 'version: 0.0.1\nachievements: []\n');
}

interface DepthContext {
  world: World;
  random: Random;
  people: readonly Account[];
  /** The people who can be assigned and can react. */
  users: readonly Account[];
  byId: ReadonlyMap<number, Account>;
}

function deepenPullRequest(context: DepthContext, pull: PullRequest): void {
  const { world, random, users, byId } = context;
  deepenThread(context, pull);
  pull.commitCount = random.integer(1, 5);
  pull.files = Array.from({ length: random.integer(1, 4) }, (_, index) => ({
    path: `src/part-${index + 1}.${random.pick(['ts', 'md', 'rs'])}`,
    additions: random.integer(0, 400),
    deletions: random.integer(0, 200),
  }));
  if (random.chance(0.3)) pull.labels.push(random.pick(['bug', 'documentation']));
  if (pull.mergedAt !== null) pull.mergedById = random.pick(users).id;
  const candidate = random.pick(users).id;
  const isFree = candidate !== pull.authorId && pull.reviews.every(({ authorId }) => authorId !== candidate);
  if (random.chance(0.2) && isFree) pull.requestedReviewerIds.push(candidate);
  for (const review of pull.reviews) {
    if (review.submittedAt === null || !random.chance(0.3)) continue;
    const author = byId.get(review.authorId);
    if (author === undefined) continue;
    const comment = addReviewComment(world, pull, { author, review, createdAt: review.submittedAt });
    addReactions(context, comment, comment.createdAt);
  }
}

function deepenThread(context: DepthContext, thread: Issue | PullRequest): void {
  const { world, random, people, users } = context;
  if (random.chance(0.3)) thread.assigneeIds.push(random.pick(users).id);
  addReactions(context, thread, thread.createdAt);
  for (let comments = random.integer(0, 3); comments > 1; comments -= 1) {
    const createdAt = random.time(thread.createdAt, world.now());
    const comment = addComment(world, thread, { author: random.pick(people), createdAt });
    addReactions(context, comment, createdAt);
  }
  if (isPullRequest(thread) && thread.closedAt !== null) addClosing(context, thread, thread.closedAt);
}

/** Changes how some issues were closed: by merged pull requests, by commits or as duplicates; reopens some. */
function deepenClosing(context: DepthContext, repository: Repository, issue: Issue, at: Date): void {
  const { random } = context;
  const closing = addClosing(context, issue, at);
  const choice = random.integer(1, 10);
  const merged = random.chance(0.4) ? random.pickIfAny(repository.pullRequests) : undefined;
  if (merged !== undefined && merged.mergedAt !== null) {
    issue.linkedPullRequestIds.push(merged.id);
    closing.closer = { pullRequestId: merged.id };
  } else if (choice === 1) {
    const commit = random.pickIfAny(repository.commits);
    if (commit !== undefined) closing.closer = { commitOid: commit.oid };
  } else if (choice === 2) {
    issue.stateReason = 'DUPLICATE';
  } else if (choice === 3) {
    issue.closedAt = null;
    issue.stateReason = 'REOPENED';
  }
}

function addClosing({ world, random, users }: DepthContext, thread: Issue | PullRequest, at: Date) {
  const byId = random.chance(0.5) ? thread.authorId : random.pick(users).id;
  const closing: Issue['closings'][number] = { id: world.newId(), at, byId, closer: null };
  thread.closings.push(closing);
  return closing;
}

function addReactions({ world, random, users }: DepthContext, to: Reactable, since: Date): void {
  if (!random.chance(0.3)) return;
  for (let reactions = random.integer(1, 3); reactions > 0; reactions -= 1) {
    const at = random.time(since, world.now());
    react(world, to, { by: random.pick(users), content: random.pick(reactionContents), at });
  }
}
