import type { ReportedCalendar } from '../../model/contribution.ts';
import type { Counters } from '../../model/counters.ts';
import { AppError, type ErrorCode } from '../../model/errors.ts';
import { unlessDenied } from '../interface/denied.ts';
import type { Call, DayRange, KnownAccount } from '../interface/provider.ts';
import type { GitHubClient } from './client.ts';
import type { Token } from './credentials.ts';
import { invalid, TooHeavy } from './failures.ts';
import { type CollectionPayload, RateLimitPayload } from './payloads.ts';
import { calendar, dayCounts } from './queries.ts';
import { addDays, type Span } from './year-slices.ts';

/** The most days that GitHub counts at once. */
const maxDaysPerRequest = 365;
/** The longest range. GitHub began in 2008; earlier days have only commits with an earlier date. */
const maxYears = 30;

const dayMs = 86_400_000;
/** GitHub's calendar has 53 columns. */
const maxDays = 53 * 7;
/** The most times that a year is halved when GitHub cannot compute it: into 16 pieces of about 23 days. */
const maxHalvings = 4;

/** The days of a span, and GitHub's own sum of their contributions. */
interface Part {
  days: { date: string; count: number }[];
  total: number;
  includesPrivate: boolean;
}

/**
 * Fetches a user's public calendar: the contributions of the last 53 weeks, on days in the contributor's time zones
 * (GitHub Docs, "Profile contributions reference"). The calendar includes private contributions when the user publishes
 * their number, and when the token shows them to its bearer. Therefore only tokens are used that are known to see only
 * public data.
 * @returns null when there is no such token, or the user no longer exists.
 */
export async function fetchCalendar(
  client: GitHubClient,
  { handle }: Pick<KnownAccount, 'handle'>,
  call: Call,
  now: Date,
): Promise<ReportedCalendar | null> {
  return withPublicToken(client, call, now, async (token) => {
    const part = await fetchPart(client, token, { handle, span: undefined, halvings: 0 }, call, now);
    return part === null || part === 'sees_more' ? part : toCalendar(part);
  });
}

/**
 * Reads public numbers of a user with a token that is known to see only public data.
 * @param read returns `sees_more` when the response shows that the token sees private data, so that the next token is
 * tried; null when there is no such user.
 * @returns null when there is no such token, or no such user.
 */
async function withPublicToken<Result extends object>(
  client: GitHubClient,
  call: Call,
  now: Date,
  read: (token: Token) => Promise<Result | null | 'sees_more'>,
): Promise<Result | null> {
  const tokens = await findPublicTokens(client, call, now);
  let failure: unknown;
  for (const token of tokens) {
    try {
      const result = await read(token);
      if (result !== 'sees_more') return result;
    } catch (error) {
      // Another token may have quota left, or be accepted.
      if (!(error instanceof AppError) || !perToken.has(error.code)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return null;
}

const perToken = new Set<ErrorCode>(['provider_rate_limited', 'provider_denied']);

/** Finds the tokens that are known to see only public data, the one with the most quota left first. */
async function findPublicTokens(client: GitHubClient, call: Call, now: Date): Promise<Token[]> {
  for (const { name: credentialName } of client.credentials.tokens.filter((token) => token.canRevealScopes)) {
    // A request for the limits is free, and its response names the token's scopes. A rejected token is left out.
    await client.rest('/rate_limit', RateLimitPayload, { ...call, credentialName }).catch(unlessDenied(null));
  }
  return client.credentials.tokens
    .filter((token) => token.showsPublicCalendars)
    .toSorted((left, right) => right.quota('graphql').share(now) - left.quota('graphql').share(now));
}

interface Wanted {
  handle: string;
  /** Undefined: the year that GitHub shows by default. */
  span: Span | undefined;
  /** The number of times that the year was halved. */
  halvings: number;
}

/**
 * Fetches the days of a span, and halves the span as long as GitHub cannot compute it.
 * @returns `sees_more` when the response shows that the token sees private data; null when there is no such user.
 */
async function fetchPart(
  client: GitHubClient,
  token: Token,
  { handle, span, halvings }: Wanted,
  call: Call,
  now: Date,
): Promise<Part | null | 'sees_more'> {
  try {
    const variables = { id: handle, ...(span && { from: `${span.from}T00:00:00Z`, to: `${span.to}T23:59:59Z` }) };
    const { data } = await client.graphql(calendar, variables, { ...call, credentialName: token.name });
    if (!token.showsPublicCalendars) return 'sees_more';
    return data.node?.contributionsCollection ? toPart(data.node.contributionsCollection, span) : null;
  } catch (error) {
    if (!(error instanceof TooHeavy)) throw error;
    if (halvings >= maxHalvings) {
      throw new AppError(
        'provider_unavailable',
        'GitHub cannot show the calendar of this account at the moment. Retry later.',
      );
    }
  }
  const parts: Part[] = [];
  for (const half of halve(span ?? yearUntil(now))) {
    const part = await fetchPart(client, token, { handle, span: half, halvings: halvings + 1 }, call, now);
    if (part === null || part === 'sees_more') return part;
    parts.push(part);
  }
  return {
    days: parts.flatMap(({ days }) => days),
    total: parts.reduce((sum, { total }) => sum + total, 0),
    includesPrivate: parts.some(({ includesPrivate }) => includesPrivate),
  };
}

function toPart(collection: CollectionPayload, span: Span | undefined): Part {
  const { contributionCalendar, hasAnyRestrictedContributions, restrictedContributionsCount } = collection;
  const days = contributionCalendar.weeks
    .flatMap(({ contributionDays }) => contributionDays)
    .filter(({ date }) => span === undefined || (date >= span.from && date <= span.to))
    .map(({ date, contributionCount }) => ({ date, count: contributionCount }));
  const { totalContributions: total } = contributionCalendar;
  return { days, total, includesPrivate: hasAnyRestrictedContributions || restrictedContributionsCount > 0 };
}

function toCalendar({ days: all, total, includesPrivate }: Part): ReportedCalendar {
  const days = all.slice(-maxDays);
  const [first] = days;
  const isWhole = days.every(({ date }, index) => date === addDays(days[0]?.date ?? '', index));
  if (first === undefined || !isWhole) throw invalid('a calendar lacks days');
  return { firstDay: first.date, counts: days.map(({ count }) => count), total, includesPrivate };
}

/** Returns the days that GitHub's calendar shows, which begin with the Sunday on or before the day a year ago. */
function yearUntil(now: Date): Span {
  const to = now.toISOString().slice(0, 10);
  return { from: addDays(to, -364 - now.getUTCDay()), to };
}

function halve({ from, to }: Span): [Span, Span] {
  const middle = addDays(from, Math.floor((Date.parse(to) - Date.parse(from)) / dayMs / 2));
  return [
    { from, to: middle },
    { from: addDays(middle, 1), to },
  ];
}

/**
 * Counts a user's public contributions on whole days (UTC) by GitHub's own numbers, with a token that is known to see
 * only public data.
 * @returns null when there is no such token, the user no longer exists, or the range is too long.
 */
export async function countDays(
  client: GitHubClient,
  { handle }: Pick<KnownAccount, 'handle'>,
  range: DayRange,
  call: Call,
  now: Date,
): Promise<Partial<Counters> | null> {
  const parts = split(range);
  if (parts === undefined) return null;
  return withPublicToken(client, call, now, async (token) => {
    const sums = { commits: 0, issues: 0, pull_requests: 0, reviews: 0 };
    for (const { first, last } of parts) {
      const variables = { id: handle, from: `${first}T00:00:00Z`, to: `${last}T23:59:59Z` };
      const { data } = await client.graphql(dayCounts, variables, { ...call, credentialName: token.name });
      if (!token.showsPublicCalendars) return 'sees_more';
      const counts = data.node?.contributionsCollection;
      if (counts === undefined) return null;
      sums.commits += counts.totalCommitContributions;
      sums.issues += counts.totalIssueContributions;
      sums.pull_requests += counts.totalPullRequestContributions;
      sums.reviews += counts.totalPullRequestReviewContributions;
    }
    return sums;
  });
}

/** Splits a range into years; undefined when there are too many. */
function split({ first, last }: DayRange): DayRange[] | undefined {
  const parts: DayRange[] = [];
  for (let from = first; from <= last; from = addDays(from, maxDaysPerRequest)) {
    const to = addDays(from, maxDaysPerRequest - 1);
    parts.push({ first: from, last: to < last ? to : last });
    if (parts.length > maxYears) return undefined;
  }
  return parts;
}
