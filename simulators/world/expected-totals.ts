import type { CountedName, CountedOfDay, CounterName } from '../../src/model/kinds.ts';
import type { Account, Commit, Repository } from './model.ts';
import { anonymousViewer, type Viewer, type World } from './world.ts';

/**
 * The expected numbers of the service, computed from the world in the most obvious way and without the code that builds
 * the simulator's responses. The list of counters is the service's.
 */

export type Counters = Record<CounterName, number>;

export interface ContributorCount {
  login: string;
  contributions: number;
}

/** Something that counts once for a repository and once for each of its people. */
interface Counted {
  people: readonly (Account | undefined)[];
  at: Date | null;
}

/** Comments and stars count for repositories and achievements alone. */
type Name = Exclude<CountedName, 'issue_comments' | 'pull_request_comments' | 'review_comments' | 'stars'>;

const finders: Readonly<Record<Name, (world: World, repository: Repository) => Counted[]>> = {
  commits: (world, repository) =>
    countedCommits(repository).map(({ author, coAuthors, authoredAt }) => ({
      people: [author, ...coAuthors].map(({ email }) => world.accountByEmail(email)),
      at: authoredAt,
    })),
  issues: (world, { issues }) => issues.map((issue) => counted(world, issue.authorId, issue.createdAt)),
  pull_requests: (world, { pullRequests }) =>
    pullRequests.map((pullRequest) => counted(world, pullRequest.authorId, pullRequest.createdAt)),
  reviews: (world, repository) =>
    submittedReviews(repository).map((review) => counted(world, review.authorId, review.submittedAt)),
  discussions: (world, { discussions }) =>
    discussions.map((discussion) => counted(world, discussion.authorId, discussion.createdAt)),
  issues_closed: (world, { issues }) =>
    issues.filter(({ closedAt }) => closedAt !== null).map((issue) => counted(world, issue.authorId, issue.closedAt)),
  pull_requests_merged: (world, { pullRequests }) =>
    pullRequests
      .filter(({ mergedAt }) => mergedAt !== null)
      .map((pullRequest) => counted(world, pullRequest.authorId, pullRequest.mergedAt)),
  discussions_answered: (world, { discussions }) =>
    discussions
      .filter(({ answerId }) => answerId !== null)
      .map(({ answerId, answerChosenAt, comments }) => ({
        people: comments.filter(({ id }) => id === answerId).map(({ authorId }) => world.accountById(authorId)),
        at: answerChosenAt,
      })),
};

const zeros: Record<CountedOfDay, number> = { commits: 0, issues: 0, pull_requests: 0, reviews: 0, discussions: 0 };
/** The names of the numbers that are kept for each day. */
const namesOfDays = Object.keys(zeros) as CountedOfDay[];
/** The names of the numbers that are summed in lists of contributors. */
const namesOfContributions: readonly Name[] = ['commits', 'issues', 'pull_requests', 'reviews', 'discussions'];

function counted(world: World, authorId: number, at: Date | null): Counted {
  return { people: [world.accountById(authorId)], at };
}

/** A range of time; null: open. */
export interface Range {
  since: Date | null;
  until: Date | null;
}

const always: Range = { since: null, until: null };

/**
 * Returns the counters of an account within a range, by default of its lifetime, as far as `viewer` may see; those of an
 * organization count its own repositories.
 */
export function toCounters(
  world: World,
  login: string,
  viewer: Viewer = anonymousViewer,
  range: Range = always,
): Counters {
  const account = existing(world, login);
  const visible = world.repositories.filter((repository) => world.canSee(viewer, repository));
  const owned = visible.filter(({ ownerId }) => ownerId === account.id);
  const [repositories, person] = account.type === 'Organization' ? [owned, undefined] : ([visible, account] as const);
  const total = (...names: Name[]): number =>
    sum(repositories.map((repository) => countIn(world, repository, names, { person, range })));
  return {
    commits: total('commits'),
    issues: total('issues'),
    pull_requests: total('pull_requests'),
    reviews: total('reviews'),
    stars: sum(
      owned
        .filter(({ isFork }) => !isFork)
        .map((repository) => world.starsOf(repository).filter(({ starredAt }) => isWithin(starredAt, range)).length),
    ),
    contributed_to: repositories.filter(
      (repository) =>
        countIn(world, repository, ['commits', 'issues', 'pull_requests', 'reviews'], { person, range }) > 0,
    ).length,
    issues_closed: total('issues_closed'),
    pull_requests_merged: total('pull_requests_merged'),
    discussions: total('discussions'),
    discussions_answered: total('discussions_answered'),
  };
}

/** @param which.person the account for which it counts; undefined: the repository itself. */
function countIn(
  world: World,
  repository: Repository,
  names: readonly Name[],
  { person, range }: { person: Account | undefined; range: Range },
): number {
  const found = names.flatMap((name) => finders[name](world, repository));
  return found.filter(({ people, at }) => (person === undefined || people.includes(person)) && isWithin(at, range))
    .length;
}

function isWithin(at: Date | null, { since, until }: Range): boolean {
  if (since === null && until === null) return true;
  return at !== null && (since === null || at >= since) && (until === null || at < until);
}

/** Contributions of an account on one day (UTC), either to public repositories or to all others. */
export interface DayCount extends Record<CountedOfDay, number> {
  login: string;
  day: string;
  isPrivate: boolean;
}

/** Counts by day, account and visibility: commits on their author date, reviews on their submission. */
export function listDays(world: World, repositories: readonly Repository[] = world.repositories): DayCount[] {
  const days = new Map<string, DayCount>();
  for (const repository of repositories) {
    const isPrivate = repository.visibility !== 'public';
    const count = (account: Account | undefined, at: Date | null, name: CountedOfDay): void => {
      if (account === undefined || account.type === 'Mannequin' || at === null) return;
      const day = at.toISOString().slice(0, 10);
      const key = `${day} ${account.login} ${isPrivate}`;
      const totals = days.get(key) ?? { login: account.login, day, isPrivate, ...zeros };
      totals[name] += 1;
      days.set(key, totals);
    };
    for (const name of namesOfDays) {
      for (const { people, at } of finders[name](world, repository)) {
        for (const account of new Set(people)) count(account, at, name);
      }
    }
  }
  return [...days].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, found]) => found);
}

/** Returns the contributors of an account's repositories or of one of them: most contributions first, then by login. */
export function listContributors(
  world: World,
  login: string,
  options: { repository?: string; viewer?: Viewer; range?: Range } = {},
): ContributorCount[] {
  const { viewer = anonymousViewer, range = always } = options;
  const owned = world
    .owned(existing(world, login))
    .filter((repository) => world.canSee(viewer, repository))
    .filter((repository) => options.repository === undefined || repository.name === options.repository);
  const found = owned.flatMap((repository) => namesOfContributions.flatMap((name) => finders[name](world, repository)));
  const counts = world.accounts
    .filter((account) => !account.isDeleted && account.type !== 'Mannequin')
    .map((account) => ({
      login: account.login,
      contributions: found.filter(({ people, at }) => people.includes(account) && isWithin(at, range)).length,
    }));
  return counts
    .filter(({ contributions }) => contributions > 0)
    .toSorted((left, right) => right.contributions - left.contributions || compare(left.login, right.login));
}

/** Commits in forks do not count for the fork. */
function countedCommits(repository: Repository): Commit[] {
  return repository.isFork ? [] : repository.commits;
}

function submittedReviews(repository: Repository) {
  return repository.pullRequests.flatMap((pull) => pull.reviews).filter((review) => review.state !== 'PENDING');
}

function existing(world: World, login: string): Account {
  const account = world.accountByLogin(login);
  if (account === undefined) throw new Error(`there is no account ${login}`);
  return account;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function compare(left: string, right: string): number {
  const [a, b] = [left.toLowerCase(), right.toLowerCase()];
  return a < b ? -1 : a > b ? 1 : 0;
}
