import type { HistoryName } from '../git/histories.ts';
import { addCommit, addDiscussion, addIssue, addPullRequest, addRepository, addReview } from './activity.ts';
import { addCast, type Cast, years } from './cast.ts';
import { type Amounts, addActivity } from './fill.ts';
import type { Account, Repository } from './model.ts';
import { addPeople } from './people.ts';
import { Random } from './random.ts';
import { addHistory } from './real-history.ts';
import { World } from './world.ts';

/** `busy`: one repository with much activity, and little else. */
export const sizeNames = ['small', 'medium', 'large', 'busy'] as const;
export type Size = (typeof sizeNames)[number];

export interface WorldOptions {
  seed: number;
  size: Size;
  now: () => Date;
  /** Overrides the size's number of repositories of the organization. */
  repositories?: number;
  /** The number of repositories to which the account with busy years added a commit in one of them. Default 120. */
  busyRepositories?: number;
}

interface Scale {
  people: number;
  repositories: number;
  /** Amounts for each repository of the organization. */
  amounts: Amounts;
  /** Amounts for each repository of a person; default: the same. */
  personal?: Amounts;
  histories: HistoryName[];
}

const few: Amounts = { commits: 25, issues: 8, pullRequests: 8, discussions: 3 };

const sizes: Record<Size, Scale> = {
  small: {
    people: 20,
    repositories: 5,
    amounts: few,
    histories: [],
  },
  medium: {
    people: 300,
    repositories: 200,
    amounts: { commits: 30, issues: 12, pullRequests: 10, discussions: 3 },
    histories: ['serverpod'],
  },
  large: {
    people: 5000,
    repositories: 200,
    amounts: { commits: 60, issues: 100, pullRequests: 50, discussions: 10 },
    histories: ['serverpod', 'rails'],
  },
  busy: {
    people: 1000,
    repositories: 1,
    amounts: { commits: 5000, issues: 5000, pullRequests: 10_000, discussions: 500 },
    personal: few,
    histories: [],
  },
};

/** Generates a world; the same options give the same world. */
export async function generateWorld(options: WorldOptions): Promise<World> {
  const size = sizes[options.size];
  const world = new World(options.now);
  const random = new Random(options.seed);
  const people = addPeople(world, random, size.people, years(2014));
  const cast = addCast(world);
  const allPeople = [
    cast.user,
    cast.heavy,
    ...people.slice(0, 8),
    cast.renamed,
    cast.bot,
    cast.deleted,
    ...people.slice(8),
  ];
  const { organization } = cast;
  const names = Array.from({ length: options.repositories ?? size.repositories }, (_, index) => `engine-${index + 1}`);
  for (const name of names) {
    const repository = addRepository(world, {
      ...randomProperties(random),
      ownerId: organization.id,
      name,
      createdAt: years(random.integer(2015, 2022)),
    });
    addStars(random, repository, people);
    addActivity(world, random, repository, allPeople, size.amounts);
  }
  addOddRepositories(world, random, cast, people);
  addPersonalRepositories(world, random, cast, allPeople, size.personal ?? size.amounts);
  addHeavyLife(world, random, { heavy: cast.heavy, repositories: options.busyRepositories ?? 120 });
  for (const name of size.histories) await addHistory(world, random, organization, name, allPeople);
  // Deleted only now, so that the contributions of the account stay.
  cast.deleted.isDeleted = true;
  world.markChanged();
  return world;
}

const languages = ['TypeScript', 'Rust', 'Haskell', null];
const licenses = [{ name: 'MIT License', spdxId: 'MIT' }, { name: 'Apache License 2.0', spdxId: 'Apache-2.0' }, null];

function randomProperties(random: Random): Partial<Repository> {
  return {
    language: random.pick(languages),
    license: random.pick(licenses),
    description: random.chance(0.7) ? 'An engine; "quoted", <tagged> & emoji 🚂' : null,
    forkCount: random.integer(0, 40),
    sizeKib: random.integer(10, 90_000),
    defaultBranch: random.chance(0.2) ? 'trunk' : 'main',
    isArchived: random.chance(0.1),
  };
}

function addStars(random: Random, repository: Repository, people: readonly Account[]): void {
  for (const account of people) {
    if (random.chance(0.1)) {
      const starredAt = random.time(repository.createdAt, new Date(repository.createdAt.getTime() + 2e10));
      repository.stars.push({ accountId: account.id, starredAt });
    }
  }
}

/** Adds repositories that break assumptions. */
function addOddRepositories(world: World, random: Random, cast: Cast, people: readonly Account[]): void {
  const ownerId = cast.organization.id;
  addRepository(world, { ownerId, name: 'empty', createdAt: years(2020) });
  addRepository(world, { ownerId, name: 'Case-Matters', createdAt: years(2020) });
  addRepository(world, { ownerId: cast.user.id, name: 'case-matters', createdAt: years(2020) });
  const fork = addRepository(world, { ownerId, name: 'forked', isFork: true, createdAt: years(2020) });
  addCommit(world, fork, { author: { name: 'Upstream', email: 'ada@mail.example' }, at: years(2019) });
  addIssue(world, fork, { author: cast.user, createdAt: years(2021) });
  const reviewed = addRepository(world, { ownerId, name: 'much-reviewed', createdAt: years(2020) });
  const pull = addPullRequest(world, reviewed, { author: cast.user, createdAt: years(2021) });
  for (let count = 0; count < 130; count += 1)
    addReview(world, pull, { author: random.pick(people), createdAt: years(2022) });
  addReview(world, pull, { author: cast.user, createdAt: years(2022), state: 'COMMENTED' });
  addReview(world, pull, { author: cast.user, createdAt: years(2022), state: 'PENDING' });
  addIssue(world, reviewed, { author: cast.mannequin, createdAt: years(2021) });
  const hidden = addRepository(world, {
    ownerId,
    name: 'hidden-engine',
    visibility: 'private',
    createdAt: years(2021),
  });
  addActivity(world, random, hidden, [cast.user, cast.member], {
    commits: 9,
    issues: 4,
    pullRequests: 4,
    discussions: 2,
  });
}

function addPersonalRepositories(
  world: World,
  random: Random,
  cast: Cast,
  allPeople: readonly Account[],
  amounts: Amounts,
): void {
  for (const name of ['notes', 'loom', 'flyer']) {
    const repository = addRepository(world, {
      ...randomProperties(random),
      ownerId: cast.user.id,
      name,
      createdAt: years(2017),
    });
    addStars(random, repository, allPeople);
    addActivity(world, random, repository, [cast.user, ...allPeople], amounts);
  }
  const secrets: [Account, string][] = [
    [cast.privateOwner, 'diary'],
    [cast.privateOwner, 'vault'],
    [cast.user, 'drafts'],
  ];
  for (const [owner, name] of secrets) {
    const repository = addRepository(world, { ownerId: owner.id, name, visibility: 'private', createdAt: years(2018) });
    addActivity(world, random, repository, [owner, ...allPeople.slice(0, 4)], amounts);
  }
  const open = addRepository(world, { ownerId: cast.privateOwner.id, name: 'open-diary', createdAt: years(2018) });
  addActivity(world, random, open, [cast.privateOwner, ...allPeople.slice(0, 4)], amounts);
  const mill = addRepository(world, { ownerId: cast.renamed.id, name: 'grind', createdAt: years(2018) });
  addActivity(world, random, mill, [cast.renamed, cast.user], amounts);
}

/**
 * Adds more activity than one request can count: busy years, many repositories in one of them, commits older than
 * GitHub.
 */
function addHeavyLife(
  world: World,
  random: Random,
  { heavy, repositories }: { heavy: Account; repositories: number },
): void {
  const author = { name: 'Grace', email: 'grace@mail.example' };
  for (let index = 0; index < repositories; index += 1) {
    const repository = addRepository(world, {
      ownerId: heavy.id,
      name: `compiler-${index + 1}`,
      createdAt: years(2019),
    });
    addCommit(world, repository, { author, at: new Date(Date.UTC(2019, index % 12, 1 + (index % 28))) });
    if (index < 110) repository.stars.push({ accountId: heavy.id, starredAt: years(2020) });
  }
  const main = addRepository(world, { ownerId: heavy.id, name: 'cobol', createdAt: years(2009) });
  for (const year of [1999, 2003]) addCommit(world, main, { author, at: years(year) });
  for (const [year, commits] of [
    [2010, 30],
    [2020, 400],
    [2021, 160],
  ] as const) {
    const times = Array.from({ length: commits }, () =>
      random.time(new Date(Date.UTC(year, 0, 1)), new Date(Date.UTC(year, 11, 31))),
    );
    for (const at of times.toSorted((left, right) => left.getTime() - right.getTime()))
      addCommit(world, main, { author, at });
  }
  addDiscussion(world, main, { author: heavy, createdAt: years(2022) });
}
