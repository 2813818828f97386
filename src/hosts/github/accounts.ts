import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Actor } from '../../model/account.ts';
import { type Counters, missingFrom } from '../../model/counters.ts';
import { AppError } from '../../model/errors.ts';
import { checkEach } from '../interface/denied.ts';
import type { AccountReport, Call, KnownAccount } from '../interface/provider.ts';
import {
  type AccountResponse,
  allTotals,
  fetchAccount,
  type LifetimeTotals,
  noTotals,
  type Target,
} from './account-query.ts';
import { organizationFacts, restActor, toActor, userFacts } from './actors.ts';
import type { GitHubClient } from './client.ts';
import { TooHeavy } from './failures.ts';
import {
  type ActorPayload,
  type OrganizationPayload,
  type OwnedStarsPayload,
  RestAccountPayload,
  type UserPayload,
} from './payloads.ts';
import { accounts as accountsQuery, starredRepositories } from './queries.ts';
import {
  allYears,
  ContributionSlice,
  coversAll,
  dueSpans,
  replaceSlices,
  type Span,
  splitSpan,
  sumSlices,
} from './year-slices.ts';

/** The data about an account that is kept from one report to the next. */
const Memory = Type.Object({ windows: Type.Array(ContributionSlice) });
type Memory = Static<typeof Memory>;

/** A limit against endless lists: no account owns 10,000 repositories with stars. */
const maxStarPages = 100;
/** The most failed requests for one report. GitHub takes ten seconds for each; the busiest accounts cause about 40. */
const maxFailures = 100;

/** The data about a user that has been fetched so far. */
interface Knowledge {
  user: UserPayload;
  counting: Target['counting'];
  slices: ContributionSlice[];
  totals: LifetimeTotals | undefined;
  stars: number | undefined;
}

/**
 * Fetches an account with all its counters: in one request if GitHub can compute it, otherwise in smaller and smaller
 * pieces. Yields a report after each piece; the last report contains all counters that GitHub could compute.
 * @param remembered the `memory` of the last report; null without one.
 * @param startedAt the time when the lookup began; data that was fetched since then is not fetched again.
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
  const response = await orTooHeavy(() => fetchAccount(client, target, { totals: allTotals, spans }, call, startedAt));
  if (response === null) return;
  if (response !== 'too_heavy' && response.account.kind === 'Organization') {
    yield await organizationReport(client, response.account, call);
    return;
  }
  const slices = memory?.windows ?? [];
  if (response === 'too_heavy') {
    yield* reportHeavyAccount(client, target, slices, call, startedAt);
    return;
  }
  const known = knowledgeFrom(response, target.counting, slices);
  const pending = [...response.cutShort, ...response.tooHeavy].flatMap(splitSpan);
  yield* completeReport(client, known, response.totals?.owned, pending, call, startedAt);
}

/** Fetches an account that is too heavy for one request in steps: the profile, then the totals, then the years. */
async function* reportHeavyAccount(
  client: GitHubClient,
  target: Target,
  slices: ContributionSlice[],
  call: Call,
  startedAt: Date,
): AsyncGenerator<AccountReport, void, undefined> {
  const profile = await orTooHeavy(() => fetchAccount(client, target, { totals: [], spans: [] }, call, startedAt));
  if (profile === null) return;
  if (profile === 'too_heavy' || profile.account.kind === 'Organization') {
    throw new AppError('provider_unavailable', 'GitHub cannot show this account at the moment. Retry later.');
  }
  const { counting } = target;
  const known: Knowledge = { user: profile.account, counting, slices, totals: undefined, stars: undefined };
  yield toReport(known);
  const totals = await orTooHeavy(() =>
    fetchAccount(client, target, { totals: allTotals, spans: [] }, call, startedAt),
  );
  const owned = totals === null || totals === 'too_heavy' ? undefined : totals.totals?.owned;
  if (totals !== null && totals !== 'too_heavy') known.totals = totals.totals;
  yield* completeReport(client, known, owned, [], call, startedAt);
}

/** Fetches the missing parts of a report: spans, and stars beyond the first page. */
async function* completeReport(
  client: GitHubClient,
  known: Knowledge,
  owned: NonNullable<AccountResponse['totals']>['owned'] | undefined,
  pending: Span[],
  call: Call,
  startedAt: Date,
): AsyncGenerator<AccountReport, void, undefined> {
  const contributionYears = known.user.activity?.contributionYears ?? [];
  const missing = dueSpans(known.slices, contributionYears, startedAt);
  if (owned) known.stars = await sumStars(client, known.user.id, owned, call);
  const spanRequest: AccountRequest = {
    send: (spans) =>
      orTooHeavy(() => {
        const target = { name: known.user.login, handle: known.user.id, counting: known.counting };
        return fetchAccount(client, target, { totals: [], spans }, call, startedAt);
      }),
    failuresLeft: maxFailures,
  };
  for await (const slices of fetchSpans(spanRequest, [...pending, ...missing])) {
    known.slices = replaceSlices(known.slices, slices);
    yield toReport(known);
  }
  yield toReport(known);
}

/** The request for spans of an account, and the number of failures that are still allowed. */
interface AccountRequest {
  send: (spans: readonly Span[]) => Promise<AccountResponse | null | 'too_heavy'>;
  failuresLeft: number;
}

/**
 * Fetches spans in one request. When that is too heavy, it fetches the two halves of the list, and a single span in
 * pieces. Leaves out a span when GitHub cannot compute even one day, or when no failures are left; the next report
 * fetches it again.
 */
async function* fetchSpans(
  spanRequest: AccountRequest,
  spans: readonly Span[],
): AsyncGenerator<ContributionSlice[], void, undefined> {
  const [first] = spans;
  if (first === undefined || spanRequest.failuresLeft <= 0) return;
  const response = await spanRequest.send(spans);
  if (response === null) return;
  if (response !== 'too_heavy') {
    yield response.slices;
    yield* fetchSpans(spanRequest, response.cutShort.flatMap(splitSpan));
    spanRequest.failuresLeft -= response.tooHeavy.length;
    for (const span of response.tooHeavy) yield* fetchSpans(spanRequest, splitSpan(span));
    return;
  }
  spanRequest.failuresLeft -= 1;
  const half = Math.ceil(spans.length / 2);
  const pieces = spans.length > 1 ? [spans.slice(0, half), spans.slice(half)] : [splitSpan(first)];
  for (const piece of pieces) yield* fetchSpans(spanRequest, piece);
}

async function sumStars(
  client: GitHubClient,
  handle: string,
  firstPage: OwnedStarsPayload,
  call: Call,
): Promise<number | undefined> {
  let page: OwnedStarsPayload | null | undefined = firstPage;
  // A repository that gains or loses stars meanwhile may be on two pages; it counts once.
  const counts = new Map<string, number>();
  for (let pages = 0; pages < maxStarPages && page; pages += 1) {
    for (const { id, stargazerCount } of page.nodes) counts.set(id, stargazerCount);
    // The list is sorted by stars, so that after a repository without stars only further ones without stars follow.
    if (!page.pageInfo.hasNextPage || page.nodes.at(-1)?.stargazerCount === 0) {
      return [...counts.values()].reduce((sum, count) => sum + count, 0);
    }
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
  // Only REST has the followers of an organization; without a response the last number is kept.
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

function knowledgeFrom(
  response: AccountResponse,
  counting: Target['counting'],
  slices: ContributionSlice[],
): Knowledge {
  if (response.account.kind !== 'User') throw new Error('only a user has counters of its own');
  return {
    user: response.account,
    counting,
    slices: replaceSlices(slices, response.slices),
    totals: response.totals,
    stars: undefined,
  };
}

function toReport({ user, slices, totals, stars }: Knowledge): AccountReport {
  const contributionYears = user.activity?.contributionYears;
  if (contributionYears === undefined) return toAccountReport(user, { ...readTotals(totals, stars) }, slices);
  const counted = slices.filter(({ from }) => contributionYears.includes(Number(from.slice(0, 4))));
  const sums = sumSlices(counted);
  const isCovered = coversAll(counted, contributionYears);
  const counters: Partial<Counters> = {
    ...readTotals(totals, stars),
    ...(isCovered && { commits: sums.commits, reviews: sums.reviews }),
    ...(isCovered && sums.isWhole && { contributed_to: sums.contributedTo }),
  };
  return toAccountReport(user, counters, counted);
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

function toAccountReport(user: UserPayload, counters: Partial<Counters>, slices: ContributionSlice[]): AccountReport {
  return { account: userFacts(user), counters, missing: missingFrom(counters), memory: { windows: slices } };
}

/** Returns the result of a request, or `too_heavy` when GitHub cannot compute the response. */
async function orTooHeavy<Result>(send: () => Promise<Result>): Promise<Result | 'too_heavy'> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof TooHeavy) return 'too_heavy';
    throw error;
  }
}

function readMemory(remembered: object | null): Memory | undefined {
  return Value.Check(Memory, remembered) ? remembered : undefined;
}

/**
 * Fetches accounts as GitHub shows them now: all in one request, then one by one the accounts that its response lacks.
 * The response also lacks accounts that GitHub cannot compute or refuses to the token, so that only a 404 proves that
 * there is no such account. Each account that GitHub shows is public.
 */
export async function checkAccounts(
  client: GitHubClient,
  accounts: readonly KnownAccount[],
  call: Call,
): Promise<Map<string, Actor | null>> {
  const byHandle = accounts.filter(({ handle }) => handle !== '');
  const found = byHandle.length === 0 ? [] : await fetchByHandle(client, byHandle, call);
  const visibleActors = found.map((payload) => toActor(payload)).filter((actor) => actor !== null);
  const checked = new Map<string, Actor | null>(visibleActors.map((actor) => [actor.externalId, actor]));
  const others = accounts.filter((account) => !checked.has(account.externalId));
  await checkEach(others, checked, async ({ externalId }) => {
    const response = await client.rest(`/user/${externalId}`, RestAccountPayload, call);
    checked.set(externalId, response && restActor(response.data));
  });
  return new Map([...checked].map(([id, actor]) => [id, actor && { ...actor, isPublic: true }]));
}

async function fetchByHandle(
  client: GitHubClient,
  accounts: readonly KnownAccount[],
  call: Call,
): Promise<(ActorPayload | null)[]> {
  try {
    const { data } = await client.graphql(accountsQuery, { ids: accounts.map(({ handle }) => handle) }, call);
    return data.nodes;
  } catch (error) {
    if (error instanceof TooHeavy) return [];
    throw error;
  }
}
