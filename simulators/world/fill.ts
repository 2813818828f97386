import { addCommit, addDiscussion, addIssue, addPullRequest, addReview, touch } from './activity.ts';
import { addDiscussionComment } from './comments.ts';
import { addDepth } from './depth.ts';
import {
  type Account,
  type Issue,
  isPullRequest,
  type Person,
  type PullRequest,
  type Repository,
  type ReviewState,
} from './model.ts';
import { listAddresses } from './people.ts';
import { Random } from './random.ts';
import type { World } from './world.ts';

/** The number of things that happen in a repository. */
export interface Amounts {
  commits: number;
  issues: number;
  pullRequests: number;
  discussions: number;
}

const labels = ['bug', 'enhancement', 'good first issue', 'question', 'ドキュメント'];
const reviewStates: readonly Exclude<ReviewState, 'PENDING'>[] = [
  'APPROVED',
  'CHANGES_REQUESTED',
  'COMMENTED',
  'DISMISSED',
];

/** Fills a repository with activity of people, some of whom do more than others. */
export function addActivity(
  world: World,
  random: Random,
  repository: Repository,
  people: readonly Account[],
  amounts: Amounts,
): void {
  const until = world.now();
  const randomTime = (): Date => random.time(repository.createdAt, until);
  const times = Array.from({ length: amounts.commits }, randomTime).toSorted(
    (left, right) => left.getTime() - right.getTime(),
  );
  for (const at of times) addRandomCommit(world, random, repository, people, at);
  for (let count = 0; count < amounts.issues; count += 1) {
    const issue = addIssue(world, repository, { author: random.pickSkewed(people), createdAt: randomTime() });
    if (random.chance(0.3)) issue.labels.push(random.pick(labels));
    if (random.chance(0.6)) close(issue, random.time(issue.createdAt, until), random.chance(0.2));
  }
  for (let count = 0; count < amounts.pullRequests; count += 1)
    addRandomPullRequest(world, random, repository, people, randomTime());
  for (let count = 0; count < amounts.discussions; count += 1) {
    const discussion = addDiscussion(world, repository, { author: random.pick(people), createdAt: randomTime() });
    for (let comments = random.integer(0, 3); comments > 0; comments -= 1) {
      const createdAt = random.time(discussion.createdAt, until);
      addDiscussionComment(world, discussion, { author: random.pick(people), createdAt, isAnswer: random.chance(0.3) });
    }
  }
  // A random source of its own, so that the activity above is the same with and without depth.
  addDepth(world, new Random(repository.id), repository, people);
}

function addRandomCommit(
  world: World,
  random: Random,
  repository: Repository,
  people: readonly Account[],
  at: Date,
): void {
  const author = random.chance(0.08) ? stranger(random) : toPerson(random, random.pickSkewed(people));
  const coAuthors = random.chance(0.15)
    ? Array.from({ length: random.integer(1, 3) }, () => toPerson(random, random.pick(people)))
    : [];
  // Some commits merge two lines of work.
  const [last, beforeLast] = [repository.commits.at(-1), repository.commits.at(-2)];
  const isMerge = random.chance(0.1) && last !== undefined && beforeLast !== undefined;
  addCommit(world, repository, {
    author,
    coAuthors,
    at,
    ...(isMerge ? { parents: [last, beforeLast] } : randomCommitter(random, toPerson(random, random.pick(people)), at)),
  });
}

function addRandomPullRequest(
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
  if (!isPullRequest(item)) item.stateReason = isNotPlanned ? 'NOT_PLANNED' : 'COMPLETED';
  touch(item, at);
}

export function toPerson(random: Random, account: Account): Person {
  return { name: account.name?.replace(/[<>\n\t]/g, ' ') || account.login, email: random.pick(listAddresses(account)) };
}

/** Returns the committer of a merge: GitHub for a squash, another person for a rebase, else none. */
function randomCommitter(random: Random, committer: Person, at: Date): { committer?: Person; authoredAt?: Date } {
  if (random.chance(0.2)) return { committer: { name: 'GitHub', email: 'noreply@github.com' } };
  const isRebased = random.chance(0.1);
  return isRebased ? { committer, authoredAt: new Date(at.getTime() - 86_400_000) } : {};
}

/** Returns a person whose address belongs to no account. */
function stranger(random: Random): Person {
  return { name: 'Somebody Else', email: `stranger-${random.integer(1, 9)}@nowhere.example` };
}
