import { type Static, Type } from 'typebox';
import type { SlicePayload } from './payloads.ts';

/** A span of days, both included, `YYYY-MM-DD` (UTC). */
export const Span = Type.Object({ from: Type.String(), to: Type.String() });
export type Span = Static<typeof Span>;

/** The contributions of an account within a span. */
export const ContributionSlice = Type.Object({
  ...Span.properties,
  commits: Type.Integer(),
  reviews: Type.Integer(),
  /** The ids of the repositories that the account contributed to. */
  repositories: Type.Array(Type.Integer()),
  /** False when the list of repositories is incomplete, because GitHub cut it short or refused a part. */
  isWhole: Type.Boolean(),
  /** The time when the slice was requested, ISO 8601. */
  requestedAt: Type.String(),
});
export type ContributionSlice = Static<typeof ContributionSlice>;

const dayMs = 86_400_000;
/**
 * The age at which a slice of the past is fetched again: commits with old dates change it, and repositories that are
 * shown or hidden, which the service may not know.
 */
const refetchAgeMs = 7 * dayMs;
/** The year in which GitHub began. Earlier contributions are commits that carry an older date. */
const firstYear = 2008;
const maxListedRepositories = 100;

/** Returns the spans to request for an account without known slices: all years since GitHub began. */
export function allYears(now: Date): Span[] {
  return Array.from({ length: now.getUTCFullYear() - firstYear + 1 }, (_, index) => yearSpan(firstYear + index));
}

/**
 * Returns the spans to request, newest first, so that `known` covers all years with contributions and is current: spans
 * that are missing, that were not over when they were requested, or that were requested long ago.
 * @param now the time when the lookup began; slices that were requested since then are current.
 */
export function dueSpans(known: readonly ContributionSlice[], contributionYears: readonly number[], now: Date): Span[] {
  const isDue = (slice: ContributionSlice): boolean => {
    const requestedAt = new Date(slice.requestedAt);
    if (requestedAt >= now) return false;
    // A day that has ended in UTC has not ended in all time zones.
    const wasOpen = Date.parse(slice.to) + 3 * dayMs > requestedAt.getTime();
    const hasBegun = Date.parse(slice.from) <= now.getTime() + dayMs;
    return (wasOpen && hasBegun) || requestedAt.getTime() + refetchAgeMs <= now.getTime();
  };
  const years = new Set([...contributionYears, now.getUTCFullYear()]);
  const due = known.filter(isDue).map(({ from, to }) => ({ from, to }));
  const missing = [...years].flatMap((year) => gaps(yearSpan(year), known));
  return [...missing, ...due].toSorted((left, right) => (left.from < right.from ? 1 : -1));
}

/** Returns whether the slices cover all years with contributions. */
export function coversAll(known: readonly ContributionSlice[], contributionYears: readonly number[]): boolean {
  return contributionYears.every((year) => gaps(yearSpan(year), known).length === 0);
}

/** Returns the fetched slices and the known ones that they do not overlap, oldest first. */
export function replaceSlices(
  known: readonly ContributionSlice[],
  fetched: readonly ContributionSlice[],
): ContributionSlice[] {
  const kept = known.filter((slice) => !fetched.some((other) => other.from <= slice.to && other.to >= slice.from));
  return [...kept, ...fetched].toSorted((left, right) => (left.from < right.from ? -1 : 1));
}

/** Splits a span into quarters, months, weeks or days; returns an empty list for a single day. */
export function splitSpan(span: Span): Span[] {
  const lengthDays = (Date.parse(span.to) - Date.parse(span.from)) / dayMs + 1;
  if (lengthDays > 92) return splitByMonths(span, 3);
  if (lengthDays > 31) return splitByMonths(span, 1);
  if (lengthDays > 7) return splitByDays(span, 7);
  return lengthDays > 1 ? splitByDays(span, 1) : [];
}

/** Returns whether GitHub left repositories out of a response, so that a shorter span has to be requested. */
export function isCutShort(slice: SlicePayload): boolean {
  const longest = Math.max(
    slice.totalRepositoriesWithContributedCommits ?? 0,
    slice.totalRepositoriesWithContributedIssues ?? 0,
    slice.totalRepositoriesWithContributedPullRequests ?? 0,
    slice.totalRepositoriesWithContributedPullRequestReviews ?? 0,
  );
  return longest > maxListedRepositories;
}

/**
 * Converts the response for a span.
 * @param options.countsAll true: use GitHub's totals, which count all that the token sees; false: sum only
 * contributions to public repositories.
 * @returns undefined when a number of the span is unknown, because an unknown number must not count as 0.
 */
export function toSlice(
  span: Span,
  payload: SlicePayload,
  options: { countsAll: boolean; requestedAt: Date },
): ContributionSlice | undefined {
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
  const readable = repositories.filter((repository) => repository !== null);
  const counted = readable.filter(({ isPrivate }) => countsAll || !isPrivate);
  return {
    ...span,
    commits,
    reviews,
    repositories: [...new Set(counted.map(({ databaseId }) => databaseId))],
    isWhole: !isCutShort(payload) && !repositories.includes(null) && !lists.includes(null),
    requestedAt: options.requestedAt.toISOString(),
  };
}

type CountedByRepository = SlicePayload['commitContributionsByRepository'];

/** Adds up contributions to public repositories; null when the list, or a part of it, is refused or unreadable. */
function sumPublic(list: CountedByRepository): number | null {
  let sum = 0;
  for (const entry of list ?? [null]) {
    if (entry === null || entry.repository === null) return null;
    sum += entry.repository.isPrivate ? 0 : entry.contributions.totalCount;
  }
  return sum;
}

/** Adds up slices that do not overlap. */
export function sumSlices(slices: readonly ContributionSlice[]): {
  commits: number;
  reviews: number;
  contributedTo: number;
  isWhole: boolean;
} {
  return {
    commits: slices.reduce((sum, slice) => sum + slice.commits, 0),
    reviews: slices.reduce((sum, slice) => sum + slice.reviews, 0),
    contributedTo: new Set(slices.flatMap((slice) => slice.repositories)).size,
    isWhole: slices.every((slice) => slice.isWhole),
  };
}

function yearSpan(year: number): Span {
  return { from: `${year}-01-01`, to: `${year}-12-31` };
}

/** Returns the parts of a span that no slice covers. Slices are sorted and do not overlap. */
function gaps(span: Span, slices: readonly ContributionSlice[]): Span[] {
  const found: Span[] = [];
  let next = span.from;
  for (const slice of slices) {
    if (slice.to < next || slice.from > span.to) continue;
    if (slice.from > next) found.push({ from: next, to: addDays(slice.from, -1) });
    next = addDays(slice.to, 1);
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
