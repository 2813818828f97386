import { type Static, Type } from 'typebox';
import { Entity, toEntity } from '../accounts/entity.ts';
import { levelOf } from '../accounts/level.ts';
import type { RouteServices } from '../accounts/resolve.ts';
import type { Account } from '../accounts/store.ts';
import { findOutcome } from '../database/lookups.ts';
import type { App } from '../http/app.ts';
import { AccountPath, type HandlerResult, type RequestContext, type ResolvedAccount } from '../http/endpoint.ts';
import { envelope, formatTimestamp } from '../http/envelope.ts';
import { FormatParameter } from '../http/images.ts';
import {
  cutPage,
  neighbourCursors,
  type Page,
  PageParameters,
  type PageStart,
  type Place,
  staleCursor,
} from '../http/pagination.ts';
import { addEndpoint } from '../http/pipeline.ts';
import { type Calendar, findCalendar } from './calendar.ts';
import { findCollection } from './collection-store.ts';
import { type CountersOfDay, findHistory } from './counter-store.ts';
import { counterNames, experienceOf, unknownCounters } from './counters.ts';
import { collectJob, fetchReportedTotalsJob } from './jobs.ts';
import { isSame, withPrivate } from './private-counters.ts';
import { findReportedTotals } from './private-store.ts';

const ContributionCounters = Type.Object(
  Object.fromEntries(counterNames.map((name) => [name, Type.Integer({ minimum: 0, examples: [24] })])),
  { title: 'ContributionCounters' },
);

/** The cards that are drawn from the response; the first is the default. */
const cards = ['contributions', 'calendar'] as const;

/** An account with its lifetime counters. */
const EntityWithContributions = Type.Object(
  { ...Entity.properties, contributions: ContributionCounters },
  { title: 'EntityWithContributions' },
);

const Query = Type.Object({
  ...PageParameters.properties,
  format: FormatParameter,
  card: Type.Optional(Type.Enum([...cards], { description: 'The card to draw.', default: cards[0] })),
  private: Type.Optional(
    Type.Boolean({ description: 'Include private contributions, where the caller may see them.', default: false }),
  ),
});

const listing = 'contributions';

/** Registers endpoint 2: the lifetime counters, now and as they were on earlier days, and the calendar card. */
export function contributionRoutes(app: App, services: RouteServices): void {
  addEndpoint(app, services, {
    path: '/v1/:provider/entities/:name/contributions',
    operationId: 'listContributions',
    tag: 'Contributions',
    summary: "An account's lifetime contributions",
    readers: 'public',
    params: AccountPath,
    query: Query,
    listing: { name: listing, defaultLimit: 1 },
    dataType: 'entity',
    item: EntityWithContributions,
    cards,
    load: async (context): Promise<History | LoadedCalendar | undefined> =>
      context.image?.card === 'calendar' ? loadCalendar(services, context) : loadHistory(services, context),
    present: (data, context) =>
      'calendar' in data ? presentCalendar(services, data, context) : presentHistory(services, data, context),
  });
}

type Context = RequestContext<unknown, Static<typeof Query>>;

/** A page of the history of an account's counters. */
interface History extends Page<CountersOfDay> {
  asOf: Date;
  includesPrivate: boolean;
}

/** The calendar, which is drawn from days alone, without the counters. */
interface LoadedCalendar {
  calendar: Calendar;
  includesPrivate: boolean;
}

async function loadHistory(services: RouteServices, context: Context): Promise<History> {
  const { account, page } = context;
  const includesPrivate = mayIncludePrivate(context);
  if (includesPrivate) await loadPrivateTotals(services, context);
  const found = await findDays(services, account, { ...page, limit: page.limit + 1, includesPrivate });
  const asOf = await lastFetched(services, context, includesPrivate);
  return { ...cutPage(found, page.limit, page.start), asOf, includesPrivate };
}

async function loadCalendar(services: RouteServices, context: Context): Promise<LoadedCalendar | undefined> {
  const includesPrivate = mayIncludePrivate(context);
  const calendar = await findCalendar(services, context, { withPrivate: includesPrivate });
  return calendar && { calendar, includesPrivate };
}

/** Returns whether the request wants private contributions, and the caller may see them. */
function mayIncludePrivate({ query, isOwner, account }: Context): boolean {
  return query.private === true && (isOwner || account.publishesPrivate);
}

function presentHistory(
  { cursors, resolver }: RouteServices,
  history: History,
  { account, provider }: Context,
): HandlerResult {
  const { page: days, asOf, includesPrivate } = history;
  const url = provider.accounts.urlOf(account);
  // The first item is the account as it is now, which has one time of its last change on all endpoints.
  const timeOf = (day: CountersOfDay): Date =>
    day === days[0] && !history.hasPrevious ? account.updatedAt : day.updatedAt;
  return {
    envelope: envelope({
      dataType: 'entity',
      data: days.map((day) => toItem(account, url, { ...day, updatedAt: timeOf(day) })),
      provenance: { asOf, missing: missingOf(days[0]), includesPrivate },
      ...neighbourCursors(history, ({ day }) => cursors.write(listing, [account.id, day])),
    }),
    staleAt: resolver.staleAt(asOf),
    cardInput: { countsCollected: account.type !== 'organization' && !provider.accounts.reportsTotals },
    // The response also counts contributions to repositories of other accounts.
    ...(includesPrivate && { isWithdrawable: true, isCacheable: false }),
  };
}

function presentCalendar(
  { resolver }: RouteServices,
  { calendar: { input, asOf, isFinal }, includesPrivate }: LoadedCalendar,
  { account, provider }: Context,
): HandlerResult {
  return {
    envelope: envelope({
      dataType: 'entity',
      data: [toEntity(account, provider.accounts.urlOf(account))],
      provenance: { asOf, missing: isFinal ? [] : ['days'], includesPrivate: input.includesPrivate },
    }),
    staleAt: resolver.staleAt(asOf),
    cardInput: { calendar: input },
    // Private contributions are shown only as long as their owner publishes them, here or at the provider.
    ...(input.includesPrivate && { isWithdrawable: true }),
    ...(includesPrivate && { isCacheable: false }),
  };
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** Returns when the data behind the counters was last fetched; requests it again in the background when that is due. */
async function lastFetched(
  { connection, resolver, now }: RouteServices,
  { account, provider, requester }: ResolvedAccount,
  includesPrivate: boolean,
): Promise<Date> {
  const asOf = account.fetchedAt ?? now();
  // A user's public counters come from the provider, if it reports them; all others are counted from collected
  // contributions.
  const isReported = account.type !== 'organization' && provider.accounts.reportsTotals;
  if (isReported && !includesPrivate) return asOf;
  const { listedAt, isUnfinished } = await findCollection(connection, account.id, {
    withPrivate: includesPrivate,
  });
  const isDue = isUnfinished || resolver.isStale(listedAt);
  if (isDue && !account.pinned) {
    // The first listing counts as a lookup of the requester; later ones are refreshes.
    resolver.requestInBackground(collectJob(account.id), listedAt === null ? requester : undefined);
  }
  return listedAt !== null && listedAt < asOf ? listedAt : asOf;
}

/**
 * Requests the totals that the provider's credentials see, and waits for them when those of a credential are not stored
 * yet.
 */
async function loadPrivateTotals(
  { connection, resolver, now }: RouteServices,
  { account, provider, ...terms }: ResolvedAccount,
): Promise<void> {
  const credentialNames = provider.privateData?.credentialNames(account) ?? [];
  if (account.type !== 'user' || account.pinned || credentialNames.length === 0) return;
  const stored = await findReportedTotals(connection, account.id);
  const job = fetchReportedTotalsJob(account.id);
  const isUnknown = credentialNames.some(
    (credentialName) => !stored.some((totals) => totals.credentialName === credentialName),
  );
  if (isUnknown) {
    const outcome = await findOutcome(connection, job.key, now());
    if (outcome === undefined) await resolver.requestAndWait(job, terms, async () => undefined);
  } else if (stored.some(({ fetchedAt }) => resolver.isStale(fetchedAt))) resolver.requestInBackground(job);
}

/**
 * Finds a page of the history, newest day first. On the first page, the newest day includes the private contributions
 * that are stored now.
 */
async function findDays(
  { connection }: RouteServices,
  account: Account,
  { limit, start, includesPrivate }: { limit: number; start: PageStart; includesPrivate: boolean },
): Promise<CountersOfDay[]> {
  const page = {
    limit,
    after: start.after && placeOf('after', start.after, account),
    before: start.before && placeOf('before', start.before, account),
  };
  const isFirstPage = page.after === undefined && page.before === undefined;
  const found = await findHistory(connection, account.id, page);
  const days = found.length === 0 && isFirstPage ? [neverCounted(account)] : found;
  if (!includesPrivate) return days;
  const all = await findHistory(connection, account.id, { ...page, withPrivate: true });
  const [newest] = days;
  if (!isFirstPage || newest === undefined) return all;
  const now = await withPrivate(connection, account, newest);
  // When nothing private is known any more, earlier days with private contributions are not shown either.
  return isSame(now, newest) ? [now, ...days.slice(1)] : [now, ...all.slice(1)];
}

function placeOf(parameter: string, [accountId, day]: Place, account: Account): string {
  if (accountId !== account.id || typeof day !== 'string') throw staleCursor(parameter);
  return day;
}

function neverCounted(account: Account): CountersOfDay {
  const day = dayOf(account.createdAt);
  return { day, counters: unknownCounters, missing: [...counterNames], updatedAt: account.updatedAt };
}

/**
 * Returns the names of the values that may be outdated or unknown: the missing counters, and the sums that contain
 * them.
 */
function missingOf(day: CountersOfDay | undefined): string[] {
  const missing = day?.missing ?? [];
  return missing.length === 0 ? [] : [...missing, 'experience', 'level'];
}

function toItem(account: Account, url: string, day: CountersOfDay): object {
  const experience = experienceOf(day.counters);
  return {
    ...toEntity(account, url),
    experience,
    level: levelOf(experience),
    contributions: Object.fromEntries(counterNames.map((name) => [name, day.counters[name] ?? 0])),
    updated_dttm: formatTimestamp(day.updatedAt),
  };
}
