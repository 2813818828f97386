import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { type CounterName, type Counters, counterNames } from '../../contributions/counters.ts';
import { AppError } from '../../errors.ts';
import type { AccountReport, Call } from '../provider.ts';
import { type OrganizationPayload, type OwnedStarsPayload, type UserPayload } from './account-payloads.ts';
import { type AccountAnswer, askForAccount, type LifetimeTotals, noTotals } from './account-query.ts';
import { allTotals, type Target } from './account-query-text.ts';
import { organizationFacts, userFacts } from './actors.ts';
import type { GitHubClient } from './client.ts';
import { TooHeavy } from './failures.ts';
import { RestAccountPayload } from './payloads.ts';
import { starredRepositories } from './queries.ts';
import {
  allYears,
  ContributionWindow,
  coversAll,
  dueSpans,
  replaceWindows,
  type Span,
  splitSpan,
  sumWindows,
} from './windows.ts';

/** What is remembered of an account from one question to the next. */
const Memory = Type.Object({ windows: Type.Array(ContributionWindow) });
type Memory = Static<typeof Memory>;

/** No account owns so many repositories with stars. */
const maxStarPages = 100;
/** GitHub takes ten seconds for each; the busiest accounts need some forty. */
const maxFailures = 100;

/** What is known of a user while more is being asked for. */
interface Knowledge {
  user: UserPayload;
  counting: Target['counting'];
  windows: ContributionWindow[];
  totals: LifetimeTotals | undefined;
  stars: number | undefined;
}

/**
 * Asks for an account with all its counters: in one request where GitHub can answer it, else in ever smaller pieces.
 * Yields after each piece; the last report is all that can be known.
 * @param startedAt when asking began; what was asked for since is not asked for again.
 */
export async function* reportAccount(
  client: GitHubClient,
  target: Target,
  remembered: object | null,
  call: Call,
  startedAt: Date,
): AsyncGenerator<AccountReport, void, undefined> {
  const memory = readMemory(remembered);
  const spans = memory === undefined ? allYears(startedAt) : dueSpans(memory.windows, [], startedAt);
  const answer = await tolerant(() => askForAccount(client, target, { totals: allTotals, spans }, call, startedAt));
  if (answer === null) return;
  if (answer !== 'too_heavy' && answer.account.kind === 'Organization') {
    yield await organizationReport(client, answer.account, call);
    return;
  }
  const windows = memory?.windows ?? [];
  if (answer === 'too_heavy') {
    yield* reportHeavyAccount(client, target, windows, call, startedAt);
    return;
  }
  const known = knowledgeFrom(answer, target.counting, windows);
  const pending = [...answer.cutShort, ...answer.tooHeavy].flatMap(splitSpan);
  yield* completeReport(client, known, answer.totals?.owned, pending, call, startedAt);
}

/** The same for an account that is too much for one request: the profile, then the totals, then the years. */
async function* reportHeavyAccount(
  client: GitHubClient,
  target: Target,
  windows: ContributionWindow[],
  call: Call,
  startedAt: Date,
): AsyncGenerator<AccountReport, void, undefined> {
  const profile = await tolerant(() => askForAccount(client, target, { totals: [], spans: [] }, call, startedAt));
  if (profile === null) return;
  if (profile === 'too_heavy' || profile.account.kind === 'Organization') {
    throw new AppError('provider_unavailable', 'GitHub cannot answer for this account just now.');
  }
  const { counting } = target;
  const known: Knowledge = { user: profile.account, counting, windows, totals: undefined, stars: undefined };
  yield toReport(known);
  const totals = await tolerant(() => askForAccount(client, target, { totals: allTotals, spans: [] }, call, startedAt));
  const owned = totals === null || totals === 'too_heavy' ? undefined : totals.totals?.owned;
  if (totals !== null && totals !== 'too_heavy') known.totals = totals.totals;
  yield* completeReport(client, known, owned, [], call, startedAt);
}

/** Asks for what is missing still: spans, and stars beyond the first page. */
async function* completeReport(
  client: GitHubClient,
  known: Knowledge,
  owned: NonNullable<AccountAnswer['totals']>['owned'] | undefined,
  pending: Span[],
  call: Call,
  startedAt: Date,
): AsyncGenerator<AccountReport, void, undefined> {
  const contributionYears = known.user.activity?.contributionYears ?? [];
  const missing = dueSpans(known.windows, contributionYears, startedAt);
  if (owned) known.stars = await sumStars(client, known.user.id, owned, call);
  const question: Question = {
    ask: (spans) =>
      tolerant(() => {
        const target = { name: known.user.login, handle: known.user.id, counting: known.counting };
        return askForAccount(client, target, { totals: [], spans }, call, startedAt);
      }),
    failuresLeft: maxFailures,
  };
  for await (const windows of askForSpans(question, [...pending, ...missing])) {
    known.windows = replaceWindows(known.windows, windows);
    yield toReport(known);
  }
  yield toReport(known);
}

/** The asking for spans of one account, and how often it may still be too much. */
interface Question {
  ask: (spans: readonly Span[]) => Promise<AccountAnswer | null | 'too_heavy'>;
  failuresLeft: number;
}

/**
 * Asks for spans together, and where that is too much for halves of them, and for one span alone in pieces. What
 * cannot be answered even for a day, or not within the allowed failures, is left out; what is missing then is asked for
 * the next time.
 */
async function* askForSpans(
  question: Question,
  spans: readonly Span[],
): AsyncGenerator<ContributionWindow[], void, undefined> {
  const [first] = spans;
  if (first === undefined || question.failuresLeft <= 0) return;
  const answer = await question.ask(spans);
  if (answer === null) return;
  if (answer !== 'too_heavy') {
    yield answer.windows;
    yield* askForSpans(question, answer.cutShort.flatMap(splitSpan));
    question.failuresLeft -= answer.tooHeavy.length;
    for (const span of answer.tooHeavy) yield* askForSpans(question, splitSpan(span));
    return;
  }
  question.failuresLeft -= 1;
  const half = Math.ceil(spans.length / 2);
  const pieces = spans.length > 1 ? [spans.slice(0, half), spans.slice(half)] : [splitSpan(first)];
  for (const piece of pieces) yield* askForSpans(question, piece);
}

async function sumStars(
  client: GitHubClient,
  handle: string,
  firstPage: OwnedStarsPayload,
  call: Call,
): Promise<number | undefined> {
  let page: OwnedStarsPayload | null | undefined = firstPage;
  let stars = 0;
  for (let pages = 0; pages < maxStarPages && page; pages += 1) {
    const counts: number[] = page.nodes.map(({ stargazerCount }) => stargazerCount);
    stars += counts.reduce((sum, count) => sum + count, 0);
    // The list goes from most stars to fewest.
    if (!page.pageInfo.hasNextPage || counts.at(-1) === 0) return stars;
    page = await nextStarPage(client, handle, page.pageInfo.endCursor, call);
  }
  return undefined;
}

async function nextStarPage(client: GitHubClient, handle: string, after: string | null, call: Call) {
  const { data } = await client.graphql(starredRepositories, { id: handle, after }, call);
  return data.node?.repositories;
}

async function organizationReport(
  client: GitHubClient,
  organization: OrganizationPayload,
  call: Call,
): Promise<AccountReport> {
  const path = `/users/${encodeURIComponent(organization.login)}`;
  // Only REST tells how many follow an organization; without an answer the last number stays.
  const rest = await client.rest(path, RestAccountPayload, call).catch((error: unknown) => {
    if (call.signal.aborted) throw error;
    return null;
  });
  return {
    account: organizationFacts(organization, rest?.data ?? null),
    counters: {},
    missing: [],
    memory: null,
  };
}

function knowledgeFrom(answer: AccountAnswer, counting: Target['counting'], windows: ContributionWindow[]): Knowledge {
  if (answer.account.kind !== 'User') throw new Error('only a user has counters of its own');
  return {
    user: answer.account,
    counting,
    windows: replaceWindows(windows, answer.windows),
    totals: answer.totals,
    stars: undefined,
  };
}

function toReport({ user, windows, totals, stars }: Knowledge): AccountReport {
  const contributionYears = user.activity?.contributionYears;
  if (contributionYears === undefined) return reportOf(user, { ...readTotals(totals, stars) }, windows);
  const counted = windows.filter(({ from }) => contributionYears.includes(Number(from.slice(0, 4))));
  const sums = sumWindows(counted);
  const isCovered = coversAll(counted, contributionYears);
  const counters: Partial<Counters> = {
    ...readTotals(totals, stars),
    ...(isCovered && { commits: sums.commits, reviews: sums.reviews }),
    ...(isCovered && sums.isWhole && { contributed_to: sums.contributedTo }),
  };
  return reportOf(user, counters, counted);
}

function readTotals(totals: LifetimeTotals | undefined, stars: number | undefined): Partial<Counters> {
  const { issues, issues_closed, pull_requests, pull_requests_merged, discussions, discussions_answered } =
    totals ?? noTotals;
  return {
    ...(issues !== null && { issues }),
    ...(issues_closed !== null && { issues_closed }),
    ...(pull_requests !== null && { pull_requests }),
    ...(pull_requests_merged !== null && { pull_requests_merged }),
    ...(discussions !== null && { discussions }),
    ...(discussions_answered !== null && { discussions_answered }),
    ...(stars !== undefined && { stars }),
  };
}

function reportOf(user: UserPayload, counters: Partial<Counters>, windows: ContributionWindow[]): AccountReport {
  const missing: CounterName[] = counterNames.filter((name) => counters[name] === undefined);
  return { account: userFacts(user), counters, missing, memory: { windows } };
}

/** An answer, or word that it was too much to ask for. */
async function tolerant<Answer>(ask: () => Promise<Answer>): Promise<Answer | 'too_heavy'> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof TooHeavy) return 'too_heavy';
    throw error;
  }
}

function readMemory(remembered: object | null): Memory | undefined {
  return Value.Check(Memory, remembered) ? remembered : undefined;
}
