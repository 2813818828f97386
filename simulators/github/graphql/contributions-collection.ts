import { type ActivityItem, toActivity } from '../../world/activity-index.ts';
import type { Account, Repository } from '../../world/model.ts';
import { type FieldRequest, type Fields, faultyArgument, time } from './field-request.ts';

const yearMs = 366 * 86_400_000;
const maxRepositories = 100;

/**
 * Collects a user's contributions within at most a year. Without dates, it covers the last year, from the Sunday on or
 * before the day a year ago, as profiles show it.
 */
export function collectContributions(
  context: FieldRequest,
  account: Account,
  args: { from?: string | null; to?: string | null },
): Fields {
  const { from, to } = readWindow(args, context.world.now());
  const activity = toActivity(context.world, account.id);
  let counted: Counted | undefined;
  const count = (): Counted => {
    if (counted === undefined) {
      counted = countWithin(context, account, from, to);
      if (account.isHeavy) context.load += counted.total;
    }
    return counted;
  };
  const kinds = {
    Commit: 'commits',
    Issue: 'issues',
    PullRequest: 'pullRequests',
    PullRequestReview: 'reviews',
  } as const;
  const fields: Fields = {
    startedAt: time(from),
    endedAt: time(to),
    user: () => null,
    contributionYears: () => contributionYears(activity, context),
    hasAnyContributions: () => count().total > 0,
    contributionCalendar: () => calendar(count(), from, to),
    hasAnyRestrictedContributions: () => count().restricted > 0,
    restrictedContributionsCount: () => count().restricted,
    totalRepositoryContributions: () => count().repositories,
  };
  for (const [name, kind] of Object.entries(kinds)) {
    const field = `${name[0]?.toLowerCase()}${name.slice(1)}`;
    const plural = name === 'Commit' ? 'Commits' : `${name}s`;
    fields[`total${name}Contributions`] = () => count()[kind].length;
    fields[`totalRepositoriesWithContributed${plural}`] = () => byRepository(count()[kind]).size;
    fields[`${field}ContributionsByRepository`] = (args: { maxRepositories?: number }) =>
      repositories(context, count()[kind], args.maxRepositories ?? 25);
  }
  return fields;
}

interface Counted {
  commits: ActivityItem<unknown>[];
  issues: ActivityItem<unknown>[];
  pullRequests: ActivityItem<unknown>[];
  reviews: ActivityItem<unknown>[];
  /** Repositories created within the window. */
  repositories: number;
  /** Contributions that the viewer may not see, if the user publishes their number. */
  restricted: number;
  total: number;
  /** Everything that a calendar counts by day (UTC), restricted contributions included. */
  days: Map<string, number>;
}

function readWindow(args: { from?: string | null; to?: string | null }, now: Date): { from: Date; to: Date } {
  const to = args.to ? new Date(args.to) : args.from ? new Date(new Date(args.from).getTime() + yearMs - 1) : now;
  const from = args.from ? new Date(args.from) : sundayBefore(new Date(to.getTime() - yearMs + dayMs));
  if (!args.from && !args.to) return { from, to };
  if (to < from) throw faultyArgument('UNPROCESSABLE', "'from' must be before 'to'");
  if (to.getTime() - from.getTime() > yearMs) {
    throw faultyArgument('UNPROCESSABLE', "The total time spanned by 'from' and 'to' must not exceed 1 year");
  }
  return { from, to };
}

const dayMs = 86_400_000;
const toDay = (moment: Date): string => moment.toISOString().slice(0, 10);

/** Whole days from the first to the last one, in weeks that begin on Sunday. */
function calendar({ days }: Counted, from: Date, to: Date): Fields {
  const weeks: { firstDay: string; contributionDays: Fields[] }[] = [];
  let totalContributions = 0;
  for (let day = Date.parse(toDay(from)); day <= to.getTime(); day += dayMs) {
    const date = toDay(new Date(day));
    const weekday = new Date(day).getUTCDay();
    if (weeks.length === 0 || weekday === 0) weeks.push({ firstDay: date, contributionDays: [] });
    const contributionCount = days.get(date) ?? 0;
    totalContributions += contributionCount;
    weeks.at(-1)?.contributionDays.push({ date, weekday, contributionCount });
  }
  return { totalContributions, weeks, isHalloween: false };
}

function sundayBefore(moment: Date): Date {
  const day = Date.parse(toDay(moment));
  return new Date(day - new Date(day).getUTCDay() * dayMs);
}

function countWithin(context: FieldRequest, account: Account, from: Date, to: Date): Counted {
  const { world, viewer } = context;
  const activity = toActivity(world, account.id);
  const days = new Map<string, number>();
  const addDay = (moment: Date): unknown => days.set(toDay(moment), (days.get(toDay(moment)) ?? 0) + 1);
  let restricted = 0;
  const within = <Item>(
    contributions: readonly ActivityItem<Item>[],
    at: (item: Item) => Date | null,
  ): ActivityItem<Item>[] =>
    contributions.filter(({ repository, item }) => {
      const moment = at(item);
      if (moment === null || moment < from || moment > to) return false;
      const isVisible = world.canSee(viewer, repository);
      const isRestricted = !isVisible && account.publishesPrivateCounts;
      if (isRestricted) restricted += 1;
      if (isVisible || isRestricted) addDay(moment);
      return isVisible;
    });
  const commits = within(activity.commits, (commit) => commit.authoredAt);
  const issues = within(activity.issues, (issue) => issue.createdAt);
  const pullRequests = within(activity.pullRequests, (pull) => pull.createdAt);
  const reviews = within(activity.reviews, (review) => review.submittedAt);
  // Calendars count discussions too, of which a collection has no total.
  within(activity.discussions, (discussion) => discussion.createdAt);
  const created = world
    .owned(account)
    .filter((repository) => world.canSee(viewer, repository))
    .filter(({ createdAt }) => createdAt >= from && createdAt <= to);
  for (const { createdAt } of created) addDay(createdAt);
  const total = commits.length + issues.length + pullRequests.length + reviews.length;
  return { commits, issues, pullRequests, reviews, repositories: created.length, restricted, total, days };
}

/** Returns years, newest first; a commit's date may lie before GitHub began. */
function contributionYears(activity: ReturnType<typeof toActivity>, { world, viewer }: FieldRequest): number[] {
  const dates = [
    ...activity.commits.map(({ repository, item }) => ({ repository, at: item.authoredAt })),
    ...activity.issues.map(({ repository, item }) => ({ repository, at: item.createdAt })),
    ...activity.pullRequests.map(({ repository, item }) => ({ repository, at: item.createdAt })),
    ...activity.reviews.map(({ repository, item }) => ({ repository, at: item.submittedAt })),
  ];
  const years = dates.flatMap(({ repository, at }) =>
    at !== null && world.canSee(viewer, repository) ? [at.getUTCFullYear()] : [],
  );
  return [...new Set(years)].toSorted((left, right) => right - left);
}

function byRepository(contributions: readonly ActivityItem<unknown>[]): Map<Repository, number> {
  const counts = new Map<Repository, number>();
  for (const { repository } of contributions) counts.set(repository, (counts.get(repository) ?? 0) + 1);
  return counts;
}

function repositories(context: FieldRequest, contributions: readonly ActivityItem<unknown>[], limit: number): Fields[] {
  if (limit < 1 || limit > maxRepositories) {
    throw faultyArgument('ARGUMENT_LIMIT', 'Only up to 100 repositories is supported.');
  }
  return [...byRepository(contributions)]
    .toSorted(([left, leftCount], [right, rightCount]) => rightCount - leftCount || left.id - right.id)
    .slice(0, limit)
    .map(([repository, totalCount]) => ({
      repository: () => context.fieldsOf.repository(repository),
      contributions: { totalCount },
    }));
}
