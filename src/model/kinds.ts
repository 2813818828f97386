/**
 * The list of all that is counted. Types, columns of totals, the functions that count in the database, recounts, sums,
 * the API's counters and the rows of their card follow from it; see docs/adding-a-counter.md.
 */

/** How a number is counted from single contributions, or from commits, which are stored in a table of their own. */
interface Counting {
  /** The kind of the contributions. */
  kind: string;
  /** True: part of a contributor's number. */
  isContribution?: true;
  /** Condition in SQL about the contribution `c`; absent: all of the kind count. */
  where?: string;
  /** The column with the account for which it counts; absent: the author. */
  person?: 'answered_by';
  /** The column with the moment at which it counts in a window of time; absent: `created_at`, of commits `authored_at`. */
  at?: 'closed_at' | 'merged_at' | 'answered_at';
  /** The smallest part for which the number is kept: a person's day, a person, or the repository; also all larger ones. */
  per: 'day' | 'person' | 'repository';
}

interface Definition {
  /** The stable id of the rule by which something is counted. */
  rule: string;
  /** One sentence for people. */
  means: string;
  /** A sentence about what surprises readers of the number; `/v1/definitions` has it after the others. */
  surprise?: string;
  /** The same where it counts the items of all people in repositories, as for an organization. */
  meansOfAll?: string;
  /** The release since which the rule applies; absent: the first one. */
  since?: string;
  /** Absent: the number follows from others. */
  stored?: Counting;
  /** Present for lifetime counters, the members of `contributions` in endpoint 2. */
  lifetime?: {
    /** The kinds that must be completely known for the counter of an organization. */
    needs: readonly string[];
    /** Its position on the card. */
    row: number;
    /** True: the card shows it by default. */
    isUsual: boolean;
  };
}

/** In the order of the API. */
const list = {
  commits: {
    rule: 'commit.author',
    means:
      'Commits on the default branch of repositories that are no forks, by their author; each commit counts once for each person.',
    meansOfAll: 'Commits on the default branch of repositories that are no forks, each once.',
    surprise:
      'Merges count like other commits, and those of bots count for bots, which lists of people leave out. Commits in forks count nowhere, before they are merged into a repository that is no fork.',
    stored: { kind: 'commit', isContribution: true, per: 'day' },
    lifetime: { needs: ['commit'], row: 1, isUsual: true },
  },
  issues: {
    rule: 'issue.opened',
    means: 'Issues that the account opened.',
    meansOfAll: 'Issues of the repositories, by all people.',
    surprise:
      "Issues in forks count in the lists of the fork alone. GitHub's own lifetime totals contain them; their evidence calls the rest `host-total`.",
    stored: { kind: 'issue', isContribution: true, per: 'day' },
    lifetime: { needs: ['issue'], row: 4, isUsual: true },
  },
  pull_requests: {
    rule: 'pull-request.opened',
    means: 'Pull requests that the account opened.',
    meansOfAll: 'Pull requests of the repositories, by all people.',
    surprise:
      "Closed ones without a merge count too; those in forks count in the lists of the fork alone. GitHub's own lifetime totals contain them; their evidence calls the rest `host-total`.",
    stored: { kind: 'pull_request', isContribution: true, per: 'day' },
    lifetime: { needs: ['pull_request'], row: 2, isUsual: true },
  },
  reviews: {
    rule: 'review.submitted',
    means: 'Reviews that the account submitted to pull requests.',
    meansOfAll: 'Reviews of pull requests of the repositories, by all people.',
    surprise:
      'Reviews of own pull requests count: the host takes each answer of an author in a review for a review. Several reviews of one pull request count each.',
    stored: { kind: 'review', isContribution: true, per: 'day' },
    lifetime: { needs: ['review'], row: 3, isUsual: true },
  },
  stars: {
    rule: 'star.received',
    means: 'Stars of repositories that the account owns, forks excluded.',
    meansOfAll: 'Stars of the repositories, forks excluded.',
    // The number of stored accounts that starred a repository. The lifetime counter sums the stars in the host's listing.
    stored: { kind: 'star', per: 'repository' },
    lifetime: { needs: [], row: 5, isUsual: true },
  },
  contributed_to: {
    rule: 'repository.contributed-to',
    means: 'Repositories with at least one commit, issue, pull request or review of the account.',
    meansOfAll: 'Repositories of the account with at least one commit, issue, pull request or review.',
    lifetime: { needs: ['commit', 'issue', 'pull_request', 'review'], row: 6, isUsual: true },
  },
  issues_closed: {
    rule: 'issue.closed',
    means: 'Issues that the account opened and that are closed.',
    meansOfAll: 'Closed issues of the repositories, by all people.',
    surprise: 'They count for the account that opened them, also when anybody else closed them, for any reason.',
    stored: { kind: 'issue', where: 'c.closed_at is not null', at: 'closed_at', per: 'person' },
    lifetime: { needs: ['issue'], row: 8, isUsual: false },
  },
  pull_requests_merged: {
    rule: 'pull-request.merged',
    means: 'Pull requests that the account opened and that are merged.',
    meansOfAll: 'Merged pull requests of the repositories, by all people.',
    stored: { kind: 'pull_request', where: 'c.merged_at is not null', at: 'merged_at', per: 'person' },
    lifetime: { needs: ['pull_request'], row: 7, isUsual: false },
  },
  discussions: {
    rule: 'discussion.started',
    means: 'Discussions that the account started.',
    meansOfAll: 'Discussions of the repositories, by all people.',
    stored: { kind: 'discussion', isContribution: true, per: 'day' },
    lifetime: { needs: ['discussion'], row: 9, isUsual: false },
  },
  discussions_answered: {
    rule: 'discussion.answered',
    means: 'Comments of the account that were accepted as the answer of a discussion.',
    meansOfAll: 'Discussions of the repositories with an accepted answer.',
    stored: { kind: 'discussion', where: 'c.answered', person: 'answered_by', at: 'answered_at', per: 'person' },
    lifetime: { needs: ['discussion'], row: 10, isUsual: false },
  },
  issue_comments: {
    rule: 'issue.commented',
    means: 'Comments on issues.',
    surprise: 'They count in no number of a person and in no calendar, only in rules of achievements and boards.',
    since: '0.3',
    stored: { kind: 'issue_comment', per: 'repository' },
  },
  pull_request_comments: {
    rule: 'pull-request.commented',
    means: 'Comments on pull requests.',
    surprise: 'They count in no number of a person and in no calendar, only in rules of achievements and boards.',
    since: '0.3',
    stored: { kind: 'pull_request_comment', per: 'repository' },
  },
  review_comments: {
    rule: 'review.commented',
    means: 'Comments on the changes of pull requests.',
    surprise: 'They count in no number of a person and in no calendar, only in rules of achievements and boards.',
    since: '0.3',
    stored: { kind: 'review_comment', per: 'repository' },
  },
} as const satisfies Record<string, Definition>;

type List = typeof list;
/** The names in the list whose definitions have a shape. */
type NamesWith<Shape> = { [Name in keyof List]: List[Name] extends Shape ? Name : never }[keyof List];

/** The lifetime counters. */
export type CounterName = NamesWith<{ lifetime: object }>;
/** The columns of `repository_totals`. */
export type CountedName = NamesWith<{ stored: object }>;
/** The columns of `contributor_totals`. */
export type CountedOfPerson = NamesWith<{ stored: { per: 'day' | 'person' } }>;
/** The columns of `contribution_days`. */
export type CountedOfDay = NamesWith<{ stored: { per: 'day' } }>;

/** All kinds of stored contributions, and `commit`. */
export type Kind = List[CountedName]['stored']['kind'];
type CountedContribution = NamesWith<{ stored: { isContribution: true } }>;
/** The kinds of activity that count as contributions to a repository. */
export type ContributionKind = List[CountedContribution]['stored']['kind'];

/** A number that is kept for each repository, and maybe for each person and day. */
export interface StoredCounter extends Counting {
  /** The name of its column. */
  name: string;
  rule: string;
}

export const definitions: readonly (readonly [name: string, definition: Definition])[] = Object.entries(list);

export const storedCounters: readonly StoredCounter[] = definitions.flatMap(([name, { rule, stored }]) =>
  stored === undefined ? [] : [{ name, rule, ...stored }],
);

/** The stored counters of which each person has one. */
export function ofPeople(counters: readonly StoredCounter[]): StoredCounter[] {
  return counters.filter(({ per }) => per !== 'repository');
}

/** The stored counters of which each day of a person has one. */
export function ofDays(counters: readonly StoredCounter[]): StoredCounter[] {
  return counters.filter(({ per }) => per === 'day');
}

/** The stored counters that make up a contributor's number. */
export function ofContributions(counters: readonly StoredCounter[]): StoredCounter[] {
  return counters.filter(({ isContribution }) => isContribution === true);
}

export const contributionKinds: readonly ContributionKind[] = ofContributions(storedCounters)
  .map(({ kind }) => kind)
  .filter(isContributionKind);

function isContributionKind(kind: string): kind is ContributionKind {
  return storedCounters.some((counter) => counter.kind === kind && counter.isContribution === true);
}

/** Returns the names of the counters of some kinds of contributions. */
export function namesOfKinds(kinds: readonly ContributionKind[]): string[] {
  return ofContributions(storedCounters).flatMap(({ name, kind }) =>
    kinds.some((known) => known === kind) ? [name] : [],
  );
}

/** The lifetime counters, in the order of the API. */
export const counterNames: readonly CounterName[] = definitions.map(([name]) => name).filter(isCounterName);

function isCounterName(name: string): name is CounterName {
  return definitions.some(([one, { lifetime }]) => one === name && lifetime !== undefined);
}

/** The lifetime counters that are sums of totals; the others follow from repositories. */
export const lifetimeOfPeople = ofPeople(storedCounters).filter(({ name }) => isCounterName(name));

/** The lifetime counters of an owner that are sums over its repositories. */
export const summedNames: readonly CounterName[] = [
  ...lifetimeOfPeople.map(({ name }) => name).filter(isCounterName),
  'contributed_to',
  'stars',
];

/** The column of `owner_sums` with the number of repositories of which a kind is not completely known. */
export function uncollectedColumn(kind: ContributionKind): string {
  return `uncollected_${namesOfKinds([kind]).join('_')}`;
}

/** The columns of `owner_sums` and `summed_repositories` that are added up. */
export const sumColumns: readonly string[] = [
  ...summedNames,
  ...contributionKinds.map(uncollectedColumn),
  'unfinished',
];

/** The lifetime counters of which single items are stored; `contributed_to` follows from the others. */
export const itemised = storedCounters.filter(({ name }) => isCounterName(name));

/** The kinds that must be completely known for the counter of an organization. */
export function listNeeds(name: CounterName): readonly ContributionKind[] {
  return list[name].lifetime.needs;
}

/** The rows of the card of lifetime counters, in their order; `isUsual`: shown by default. */
export const counterRows: readonly { name: CounterName; isUsual: boolean }[] = counterNames
  .toSorted((one, other) => list[one].lifetime.row - list[other].lifetime.row)
  .map((name) => ({ name, isUsual: list[name].lifetime.isUsual }));
