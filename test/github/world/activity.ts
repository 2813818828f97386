import { makeCommit } from './commits.ts';
import type {
  Account,
  Commit,
  Discussion,
  Issue,
  Person,
  PullRequest,
  Repository,
  Review,
  ReviewState,
} from './model.ts';
import { addressesOf } from './people.ts';
import type { Random } from './random.ts';
import { nodeId, type World } from './world.ts';

/** How much happens in a repository. */
export interface Amounts {
  commits: number;
  issues: number;
  pullRequests: number;
  discussions: number;
}

/** What adding one thing needs; times default to now. */
interface Authored {
  author: Account;
  createdAt?: Date;
}

const labels = ['bug', 'enhancement', 'good first issue', 'question', 'ドキュメント'];
const reviewStates: readonly ReviewState[] = ['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED', 'DISMISSED'];

/** Adds a repository; what is not said gets a plain value. */
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
    ...described,
  };
  world.repositories.push(repository);
  world.changed();
  return repository;
}

export function addIssue(world: World, repository: Repository, { author, createdAt = world.now() }: Authored): Issue {
  const id = world.newId();
  const number = repository.issues.length + repository.pullRequests.length + repository.discussions.length + 1;
  const issue: Issue = {
    id,
    nodeId: nodeId('I', id),
    number,
    authorId: author.id,
    title: `Issue ${number} of "${repository.name}" <b>`,
    createdAt,
    updatedAt: createdAt,
    closedAt: null,
    stateReason: null,
    labels: [],
  };
  repository.issues.push(issue);
  world.changed();
  return issue;
}

export function addPullRequest(world: World, repository: Repository, authored: Authored): PullRequest {
  const { stateReason: _reason, ...issue } = addIssue(world, repository, authored);
  repository.issues.pop();
  const pull: PullRequest = { ...issue, nodeId: nodeId('PR', issue.id), isDraft: false, mergedAt: null, reviews: [] };
  repository.pullRequests.push(pull);
  return pull;
}

export function addReview(
  world: World,
  pull: PullRequest,
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
    submittedAt: state === 'PENDING' ? null : createdAt,
  };
  pull.reviews.push(review);
  if (state !== 'PENDING') touch(pull, createdAt);
  world.changed();
  return review;
}

export function addDiscussion(
  world: World,
  repository: Repository,
  { author, createdAt = world.now() }: Authored,
): Discussion {
  const id = world.newId();
  const number = repository.issues.length + repository.pullRequests.length + repository.discussions.length + 1;
  const discussion: Discussion = {
    id,
    nodeId: nodeId('D', id),
    number,
    authorId: author.id,
    title: `Discussion ${number}`,
    createdAt,
    updatedAt: createdAt,
    closedAt: null,
    comments: [],
    answerId: null,
  };
  repository.discussions.push(discussion);
  world.changed();
  return discussion;
}

/** Adds a comment to a discussion, and accepts it as the answer if asked to. */
export function addComment(
  world: World,
  discussion: Discussion,
  { author, createdAt = world.now(), isAnswer = false }: Authored & { isAnswer?: boolean },
): void {
  const id = world.newId();
  discussion.comments.push({ id, nodeId: nodeId('DC', id), authorId: author.id, createdAt });
  if (isAnswer) discussion.answerId = id;
  touch(discussion, createdAt);
  world.changed();
}

/** Adds a commit to the default branch. */
export function addCommit(
  world: World,
  repository: Repository,
  by: {
    author: Person;
    coAuthors?: Person[];
    /** Whoever put it on the branch; by default its author. */
    committer?: Person;
    at?: Date;
    /** When it was written, if long before. */
    authoredAt?: Date;
    parents?: string[];
    message?: string;
  },
): Commit {
  const at = by.at ?? world.now();
  const last = repository.commits.at(-1)?.oid;
  const parents = by.parents ?? (last === undefined ? [] : [last]);
  const message = by.message ?? `Change ${repository.commits.length + 1} of ${repository.name}`;
  const commit = makeCommit(parents, {
    author: by.author,
    coAuthors: by.coAuthors ?? [],
    ...(by.committer && { committer: by.committer }),
    message,
    authoredAt: by.authoredAt ?? at,
    committedAt: at,
  });
  repository.commits.push(commit);
  repository.pushedAt = later(repository.pushedAt, at);
  touch(repository, at);
  world.changed();
  return commit;
}

/** Fills a repository with what people do, some of them more than others. */
export function addActivity(
  world: World,
  random: Random,
  repository: Repository,
  people: readonly Account[],
  amounts: Amounts,
): void {
  const until = world.now();
  const someTime = (): Date => random.time(repository.createdAt, until);
  const times = Array.from({ length: amounts.commits }, someTime).toSorted(
    (one, other) => one.getTime() - other.getTime(),
  );
  for (const at of times) addSomeCommit(world, random, repository, people, at);
  for (let count = 0; count < amounts.issues; count += 1) {
    const issue = addIssue(world, repository, { author: random.pickSkewed(people), createdAt: someTime() });
    if (random.chance(0.3)) issue.labels.push(random.pick(labels));
    if (random.chance(0.6)) close(issue, random.time(issue.createdAt, until), random.chance(0.2));
  }
  for (let count = 0; count < amounts.pullRequests; count += 1)
    addSomePullRequest(world, random, repository, people, someTime());
  for (let count = 0; count < amounts.discussions; count += 1) {
    const discussion = addDiscussion(world, repository, { author: random.pick(people), createdAt: someTime() });
    for (let comments = random.integer(0, 3); comments > 0; comments -= 1) {
      const createdAt = random.time(discussion.createdAt, until);
      addComment(world, discussion, { author: random.pick(people), createdAt, isAnswer: random.chance(0.3) });
    }
  }
}

function addSomeCommit(
  world: World,
  random: Random,
  repository: Repository,
  people: readonly Account[],
  at: Date,
): void {
  const author = random.chance(0.08) ? stranger(random) : personOf(random, random.pickSkewed(people));
  const coAuthors = random.chance(0.15)
    ? Array.from({ length: random.integer(1, 3) }, () => personOf(random, random.pick(people)))
    : [];
  // Now and then two lines of work meet again.
  const [last, beforeLast] = [repository.commits.at(-1)?.oid, repository.commits.at(-2)?.oid];
  const isMerge = random.chance(0.1) && last !== undefined && beforeLast !== undefined;
  addCommit(world, repository, {
    author,
    coAuthors,
    at,
    ...(isMerge ? { parents: [last, beforeLast] } : mergedAs(random, personOf(random, random.pick(people)), at)),
  });
}

function addSomePullRequest(
  world: World,
  random: Random,
  repository: Repository,
  people: readonly Account[],
  createdAt: Date,
): void {
  const until = world.now();
  const pull = addPullRequest(world, repository, { author: random.pickSkewed(people), createdAt });
  pull.isDraft = random.chance(0.1);
  for (let reviews = random.integer(0, 4); reviews > 0; reviews -= 1) {
    const state = random.chance(0.1) ? 'PENDING' : random.pick(reviewStates);
    addReview(world, pull, { author: random.pick(people), createdAt: random.time(createdAt, until), state });
  }
  if (random.chance(0.7)) close(pull, random.time(createdAt, until), random.chance(0.2));
  if (pull.closedAt !== null && random.chance(0.85)) pull.mergedAt = pull.closedAt;
}

function close(item: Issue | PullRequest, at: Date, isNotPlanned: boolean): void {
  item.closedAt = at;
  if ('stateReason' in item) item.stateReason = isNotPlanned ? 'NOT_PLANNED' : 'COMPLETED';
  touch(item, at);
}

export function personOf(random: Random, account: Account): Person {
  return { name: account.name?.replace(/[<>\n\t]/g, ' ') || account.login, email: random.pick(addressesOf(account)) };
}

/** Squashed by GitHub, rebased by somebody else, or neither. */
function mergedAs(random: Random, other: Person, at: Date): { committer?: Person; authoredAt?: Date } {
  if (random.chance(0.2)) return { committer: { name: 'GitHub', email: 'noreply@github.com' } };
  const isRebased = random.chance(0.1);
  return isRebased ? { committer: other, authoredAt: new Date(at.getTime() - 86_400_000) } : {};
}

/** Somebody whose address belongs to no account. */
function stranger(random: Random): Person {
  return { name: 'Somebody Else', email: `stranger-${random.integer(1, 9)}@nowhere.example` };
}

/** An item that changed shows when. */
export function touch(item: { updatedAt: Date }, at: Date): void {
  item.updatedAt = later(item.updatedAt, at);
}

function later(one: Date | null, other: Date): Date {
  return one !== null && one > other ? one : other;
}
