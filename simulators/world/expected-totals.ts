import type { Account, Commit, Repository } from './model.ts';
import { anybody, type Viewer, type World } from './world.ts';

/**
 * The expected numbers of the service, computed from the world in the most obvious way and without the code that builds
 * the simulator's responses.
 */

export interface Counters {
  commits: number;
  issues: number;
  pull_requests: number;
  reviews: number;
  stars: number;
  contributed_to: number;
  issues_closed: number;
  pull_requests_merged: number;
  discussions: number;
  discussions_answered: number;
}

export interface ContributorCount {
  login: string;
  contributions: number;
}

/**
 * Returns the lifetime counters of an account, as far as `viewer` may see; those of an organization count its own
 * repositories.
 */
export function countersOf(world: World, login: string, viewer: Viewer = anybody): Counters {
  const account = existing(world, login);
  const visible = world.repositories.filter((repository) => world.canSee(viewer, repository));
  if (account.type === 'Organization') return countOwned(world, account, visible);
  const counters = zero();
  for (const repository of visible) {
    const commits = countedCommits(repository).filter((commit) => isBy(world, commit, account)).length;
    const issues = repository.issues.filter((issue) => issue.authorId === account.id);
    const pulls = repository.pullRequests.filter((pull) => pull.authorId === account.id);
    const reviews = submittedReviews(repository).filter((review) => review.authorId === account.id).length;
    const discussions = repository.discussions.filter((discussion) => discussion.authorId === account.id).length;
    const answers = repository.discussions.filter((discussion) =>
      discussion.comments.some((comment) => comment.id === discussion.answerId && comment.authorId === account.id),
    ).length;
    counters.commits += commits;
    counters.issues += issues.length;
    counters.issues_closed += issues.filter((issue) => issue.closedAt !== null).length;
    counters.pull_requests += pulls.length;
    counters.pull_requests_merged += pulls.filter((pull) => pull.mergedAt !== null).length;
    counters.reviews += reviews;
    counters.discussions += discussions;
    counters.discussions_answered += answers;
    if (commits + issues.length + pulls.length + reviews > 0) counters.contributed_to += 1;
    if (repository.ownerId === account.id && !repository.isFork) counters.stars += world.starsOf(repository).length;
  }
  return counters;
}

/** Contributions of an account on one day (UTC), either to public repositories or to all others. */
export interface DayCount {
  login: string;
  day: string;
  isPrivate: boolean;
  commits: number;
  issues: number;
  pull_requests: number;
  reviews: number;
  discussions: number;
}

/** Counts by day, account and visibility: commits on their author date, reviews on their submission. */
export function daysOf(world: World, repositories: readonly Repository[] = world.repositories): DayCount[] {
  const days = new Map<string, DayCount>();
  for (const repository of repositories) {
    const isPrivate = repository.visibility !== 'public';
    const count = (account: Account | undefined, at: Date | null, kind: keyof typeof none): void => {
      if (account === undefined || account.type === 'Mannequin' || at === null) return;
      const day = at.toISOString().slice(0, 10);
      const key = `${day} ${account.login} ${isPrivate}`;
      const known = days.get(key) ?? { login: account.login, day, isPrivate, ...none };
      known[kind] += 1;
      days.set(key, known);
    };
    for (const commit of countedCommits(repository)) {
      const authors = new Set([commit.author, ...commit.coAuthors].map(({ email }) => world.accountByEmail(email)));
      for (const author of authors) count(author, commit.authoredAt, 'commits');
    }
    const author = ({ authorId }: { authorId: number }): Account | undefined => world.accountById(authorId);
    for (const issue of repository.issues) count(author(issue), issue.createdAt, 'issues');
    for (const pull of repository.pullRequests) count(author(pull), pull.createdAt, 'pull_requests');
    for (const review of submittedReviews(repository)) count(author(review), review.submittedAt, 'reviews');
    for (const discussion of repository.discussions) count(author(discussion), discussion.createdAt, 'discussions');
  }
  return [...days].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, counted]) => counted);
}

const none = { commits: 0, issues: 0, pull_requests: 0, reviews: 0, discussions: 0 };

/** Returns the contributors of an account's repositories or of one of them: most contributions first, then by login. */
export function contributorsOf(
  world: World,
  login: string,
  options: { repository?: string; viewer?: Viewer } = {},
): ContributorCount[] {
  const { viewer = anybody } = options;
  const owned = world
    .owned(existing(world, login))
    .filter((repository) => world.canSee(viewer, repository))
    .filter((repository) => options.repository === undefined || repository.name === options.repository);
  const counts = world.accounts

    .filter((account) => !account.isDeleted && account.type !== 'Mannequin')
    .map((account) => ({
      login: account.login,
      contributions: owned.reduce((sum, repository) => sum + contributionsTo(world, repository, account), 0),
    }));
  return counts
    .filter(({ contributions }) => contributions > 0)
    .toSorted((one, other) => other.contributions - one.contributions || compare(one.login, other.login));
}

function contributionsTo(world: World, repository: Repository, account: Account): number {
  const by = (item: { authorId: number }): boolean => item.authorId === account.id;
  return (
    countedCommits(repository).filter((commit) => isBy(world, commit, account)).length +
    repository.issues.filter(by).length +
    repository.pullRequests.filter(by).length +
    submittedReviews(repository).filter(by).length +
    repository.discussions.filter(by).length
  );
}

function countOwned(world: World, organization: Account, visible: readonly Repository[]): Counters {
  const counters = zero();
  for (const repository of visible) {
    if (repository.ownerId !== organization.id) continue;
    const commits = countedCommits(repository).length;
    const reviews = submittedReviews(repository).length;
    counters.commits += commits;
    counters.issues += repository.issues.length;
    counters.issues_closed += repository.issues.filter((issue) => issue.closedAt !== null).length;
    counters.pull_requests += repository.pullRequests.length;
    counters.pull_requests_merged += repository.pullRequests.filter((pull) => pull.mergedAt !== null).length;
    counters.reviews += reviews;
    counters.discussions += repository.discussions.length;
    counters.discussions_answered += repository.discussions.filter(({ answerId }) => answerId !== null).length;
    if (commits + repository.issues.length + repository.pullRequests.length + reviews > 0) counters.contributed_to += 1;
    if (!repository.isFork) counters.stars += world.starsOf(repository).length;
  }
  return counters;
}

/** Commits in forks do not count for the fork. */
function countedCommits(repository: Repository): Commit[] {
  return repository.isFork ? [] : repository.commits;
}

function isBy(world: World, commit: Commit, account: Account): boolean {
  return [commit.author, ...commit.coAuthors].some(({ email }) => world.accountByEmail(email) === account);
}

function submittedReviews(repository: Repository) {
  return repository.pullRequests.flatMap((pull) => pull.reviews).filter((review) => review.state !== 'PENDING');
}

function existing(world: World, login: string): Account {
  const account = world.accountByLogin(login);
  if (account === undefined) throw new Error(`there is no account ${login}`);
  return account;
}

function zero(): Counters {
  return {
    commits: 0,
    issues: 0,
    pull_requests: 0,
    reviews: 0,
    stars: 0,
    contributed_to: 0,
    issues_closed: 0,
    pull_requests_merged: 0,
    discussions: 0,
    discussions_answered: 0,
  };
}

function compare(one: string, other: string): number {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  return a < b ? -1 : a > b ? 1 : 0;
}
