import { type Static, Type } from 'typebox';
import type { WindowPayload } from './account-payloads.ts';

/** A span of days, both included, `YYYY-MM-DD` (UTC). */
export const Span = Type.Object({ from: Type.String(), to: Type.String() });
export type Span = Static<typeof Span>;

/** What an account contributed within a span. */
export const ContributionWindow = Type.Object({
  ...Span.properties,
  commits: Type.Integer(),
  reviews: Type.Integer(),
  /** Ids of the repositories contributed to. */
  repositories: Type.Array(Type.Integer()),
  /** False: there are more than GitHub lists, even for a single day. */
  isWhole: Type.Boolean(),
  /** When it was asked for, ISO 8601. */
  askedAt: Type.String(),
});
export type ContributionWindow = Static<typeof ContributionWindow>;

const dayMs = 86_400_000;
/** What is long past changes seldom (commits with old dates): it is asked for again after this time. */
const settledForMs = 7 * dayMs;
/** GitHub began; earlier contributions are commits that carry an older date. */
const firstYear = 2008;
const maxListedRepositories = 100;

/** The spans to ask for when nothing is known: every year that GitHub can have. */
export function allYears(now: Date): Span[] {
  return Array.from({ length: now.getUTCFullYear() - firstYear + 1 }, (_, index) => yearSpan(firstYear + index));
}

/**
 * The spans that have to be asked for so that `known` covers all years with contributions and is current: those that
 * are missing, that reach into the last days, or that were asked for long ago.
 * @param now when the questions began: what was asked for since is current.
 */
export function dueSpans(
  known: readonly ContributionWindow[],
  contributionYears: readonly number[],
  now: Date,
): Span[] {
  const isDue = (window: ContributionWindow): boolean => {
    const askedAt = new Date(window.askedAt);
    if (askedAt >= now) return false;
    // A day is over everywhere some time after it is over here.
    const wasOpen = Date.parse(window.to) + 3 * dayMs > askedAt.getTime();
    const hasBegun = Date.parse(window.from) <= now.getTime() + dayMs;
    return (wasOpen && hasBegun) || askedAt.getTime() + settledForMs <= now.getTime();
  };
  const years = new Set([...contributionYears, now.getUTCFullYear()]);
  const due = known.filter(isDue).map(({ from, to }) => ({ from, to }));
  const missing = [...years].flatMap((year) => gaps(yearSpan(year), known));
  return [...missing, ...due].toSorted((one, other) => (one.from < other.from ? 1 : -1));
}

/** Whether nothing is missing of the years with contributions. */
export function coversAll(known: readonly ContributionWindow[], contributionYears: readonly number[]): boolean {
  return contributionYears.every((year) => gaps(yearSpan(year), known).length === 0);
}

/** Puts newly learnt windows in the place of what they overlap. */
export function replaceWindows(
  known: readonly ContributionWindow[],
  learnt: readonly ContributionWindow[],
): ContributionWindow[] {
  const kept = known.filter((window) => !learnt.some((other) => other.from <= window.to && other.to >= window.from));
  return [...kept, ...learnt].toSorted((one, other) => (one.from < other.from ? -1 : 1));
}

/** The same span in smaller pieces: quarters, months, weeks, days; none for a day. */
export function splitSpan(span: Span): Span[] {
  const lengthDays = (Date.parse(span.to) - Date.parse(span.from)) / dayMs + 1;
  if (lengthDays > 92) return splitByMonths(span, 3);
  if (lengthDays > 31) return splitByMonths(span, 1);
  if (lengthDays > 7) return splitByDays(span, 7);
  return lengthDays > 1 ? splitByDays(span, 1) : [];
}

/** Whether GitHub left repositories out of an answer, so that a shorter span has to be asked for. */
export function isCutShort(window: WindowPayload): boolean {
  const longest = Math.max(
    window.totalRepositoriesWithContributedCommits ?? 0,
    window.totalRepositoriesWithContributedIssues ?? 0,
    window.totalRepositoriesWithContributedPullRequests ?? 0,
    window.totalRepositoriesWithContributedPullRequestReviews ?? 0,
  );
  return longest > maxListedRepositories;
}

/**
 * Reads the response for a span.
 * @param options.countsAll whether everything that the token sees is counted, so that GitHub's totals are taken; else public
 * contributions alone are counted.
 * @returns undefined when a number of the span cannot be told: an unknown number is never taken for 0.
 */
export function toWindow(
  span: Span,
  payload: WindowPayload,
  options: { countsAll: boolean; askedAt: Date },
): ContributionWindow | undefined {
  const { countsAll } = options;
  const commits = countsAll ? payload.totalCommitContributions : sumPublic(payload.commitContributionsByRepository);
  const reviews = countsAll
    ? payload.totalPullRequestReviewContributions
    : sumPublic(payload.pullRequestReviewContributionsByRepository);
  if (commits === null || reviews === null) return undefined;
  const lists = [
    payload.commitContributionsByRepository,
    payload.issueContributionsByRepository,
    payload.pullRequestContributionsByRepository,
    payload.pullRequestReviewContributionsByRepository,
  ].map((list) => list ?? null);
  const repositories = lists.flatMap((list) => list ?? []).map((entry) => entry?.repository ?? null);
  const counted = repositories.filter((one) => one !== null).filter((one) => countsAll || !one.isPrivate);
  return {
    ...span,
    commits,
    reviews,
    repositories: [...new Set(counted.map(({ databaseId }) => databaseId))],
    isWhole: !isCutShort(payload) && !repositories.includes(null) && !lists.includes(null),
    askedAt: options.askedAt.toISOString(),
  };
}

type CountedByRepository = WindowPayload['commitContributionsByRepository'];

/** Adds up contributions to public repositories; null when a part of the list is refused or unreadable. */
function sumPublic(list: CountedByRepository): number | null {
  let sum = 0;
  for (const entry of list ?? [null]) {
    if (entry === null || entry.repository === null) return null;
    sum += entry.repository.isPrivate ? 0 : entry.contributions.totalCount;
  }
  return sum;
}

/** Sums over windows that cover everything. */
export function sumWindows(windows: readonly ContributionWindow[]): {
  commits: number;
  reviews: number;
  contributedTo: number;
  isWhole: boolean;
} {
  return {
    commits: windows.reduce((sum, window) => sum + window.commits, 0),
    reviews: windows.reduce((sum, window) => sum + window.reviews, 0),
    contributedTo: new Set(windows.flatMap((window) => window.repositories)).size,
    isWhole: windows.every((window) => window.isWhole),
  };
}

function yearSpan(year: number): Span {
  return { from: `${year}-01-01`, to: `${year}-12-31` };
}

/** What of a span no window covers. Windows are in order and do not overlap. */
function gaps(span: Span, windows: readonly ContributionWindow[]): Span[] {
  const found: Span[] = [];
  let next = span.from;
  for (const window of windows) {
    if (window.to < next || window.from > span.to) continue;
    if (window.from > next) found.push({ from: next, to: addDays(window.from, -1) });
    next = addDays(window.to, 1);
  }
  if (next <= span.to) found.push({ from: next, to: span.to });
  return found;
}

function splitByMonths({ from, to }: Span, months: number): Span[] {
  const pieces: Span[] = [];
  let start = from;
  while (start <= to) {
    const date = new Date(start);
    const firstOfNext = Date.UTC(date.getUTCFullYear(), (Math.floor(date.getUTCMonth() / months) + 1) * months, 1);
    const end = addDays(new Date(firstOfNext).toISOString().slice(0, 10), -1);
    pieces.push({ from: start, to: end < to ? end : to });
    start = addDays(end, 1);
  }
  return pieces;
}

function splitByDays({ from, to }: Span, days: number): Span[] {
  const pieces: Span[] = [];
  for (let start = from; start <= to; start = addDays(start, days)) {
    const end = addDays(start, days - 1);
    pieces.push({ from: start, to: end < to ? end : to });
  }
  return pieces;
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);
}
