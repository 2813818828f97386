import { Type } from 'typebox';
import { Entity, toEntity } from '../accounts/entity.ts';
import { levelOf } from '../accounts/level.ts';
import {
  AccountPath,
  type AccountRouteContext,
  type HandlerResult,
  problemResponses,
  type ResolvedAccount,
  respondForAccount,
} from '../accounts/routes.ts';
import type { Account } from '../accounts/store.ts';
import { findOutcome } from '../database/lookups.ts';
import type { App } from '../http/app.ts';
import { EnvelopeSchema, envelope, formatTimestamp } from '../http/envelope.ts';
import { FormatParameter, isImageFormat, withImages } from '../http/images.ts';
import { cutPage, PageParameters, type PageStart, type Place, staleCursor } from '../http/pagination.ts';
import { findCalendar } from './calendar.ts';
import { findCollection } from './collection-store.ts';
import { type CountersOfDay, findHistory } from './counter-store.ts';
import { counterNames, experienceOf, unknownCounters } from './counters.ts';
import { collectJob, seeTotalsJob } from './jobs.ts';
import { isSame, withPrivate } from './private-counters.ts';
import { findReportedTotals } from './private-store.ts';

const ContributionCounters = Type.Object({
  commits: Type.Integer(),
  issues: Type.Integer(),
  pull_requests: Type.Integer(),
  reviews: Type.Integer(),
  stars: Type.Integer(),
  contributed_to: Type.Integer(),
  issues_closed: Type.Integer(),
  pull_requests_merged: Type.Integer(),
  discussions: Type.Integer(),
  discussions_answered: Type.Integer(),
});

/** An account with its lifetime counters. */
const EntityWithContributions = Type.Object({ ...Entity.properties, contributions: ContributionCounters });

const Query = Type.Object({
  ...PageParameters.properties,
  format: FormatParameter,
  card: Type.Optional(Type.Enum(['contributions', 'calendar'], { description: 'The card to draw.' })),
  private: Type.Optional(
    Type.Boolean({ description: 'Include private contributions, where the caller may see them.', default: false }),
  ),
});

const listing = 'contributions';
const defaultLimit = 1;

/** Registers endpoint 2: the lifetime counters, now and as they were on earlier days. */
export function contributionRoutes(app: App, context: AccountRouteContext): void {
  app.get(
    '/v1/:provider/entities/:name/contributions',
    {
      schema: {
        summary: "An account's lifetime contributions",
        params: AccountPath,
        querystring: withImages(Query.properties, context.pictures),
        response: { 200: EnvelopeSchema(EntityWithContributions), ...problemResponses },
      },
      config: { cards: ['contributions', 'calendar'] },
    },
    async (request, reply) => {
      const { limit = defaultLimit, private: isPrivateAsked = false, format, card = 'contributions' } = request.query;
      const picture = isImageFormat(format) ? context.pictures.request(card, format, request.query) : undefined;
      const start = context.cursors.readStart(listing, request.query);
      return respondForAccount(
        context,
        { request, reply, dataType: 'entity', picture },
        request.params,
        async (asked) => {
          const { account, provider } = asked;
          const includesPrivate = isPrivateAsked && (asked.isOwner || account.publishesPrivate);
          if (picture?.card === 'calendar') return makeCalendar(context, asked, includesPrivate);
          if (includesPrivate) await learnPrivate(context, asked);
          const days = await findDays(context, account, { limit: limit + 1, start, includesPrivate });
          const { page, hasPrevious, hasNext } = cutPage(days, limit, start);
          const asOf = await lastAsked(context, asked, includesPrivate);
          const cursor = (day: CountersOfDay | undefined): string | undefined =>
            day && context.cursors.write(listing, [account.id, day.day]);
          return {
            envelope: envelope({
              dataType: 'entity',
              data: page.map((day) => toItem(account, provider.accountUrl(account), day)),
              provenance: { asOf, missing: missingOf(page[0]), includesPrivate },
              previousCursor: hasPrevious ? cursor(page[0]) : undefined,
              nextCursor: hasNext ? cursor(page.at(-1)) : undefined,
            }),
            staleAt: context.resolver.staleAt(asOf),
            shown: {
              countsCollected: account.type !== 'organization' && provider.totalsFromStored === true,
            },
            // The response also counts contributions to repositories of other accounts.
            ...(includesPrivate && { audience: 'everybody_for_now', isKept: false }),
          };
        },
      );
    },
  );
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** Makes the calendar, which is drawn from days alone, without the counters. */
async function makeCalendar(
  context: AccountRouteContext,
  asked: ResolvedAccount,
  withPrivate: boolean,
): Promise<HandlerResult> {
  const { account, provider } = asked;
  const calendar = await findCalendar(context, asked, { withPrivate });
  if (calendar === undefined) return undefined;
  const { shown, asOf, isFinal } = calendar;
  return {
    envelope: envelope({
      dataType: 'entity',
      data: [toEntity(account, provider.accountUrl(account))],
      provenance: { asOf, missing: isFinal ? [] : ['days'], includesPrivate: shown.includesPrivate },
    }),
    staleAt: context.resolver.staleAt(asOf),
    shown: { calendar: shown },
    // Private contributions are shown only as long as their owner publishes them, here or at the provider.
    ...(shown.includesPrivate && { audience: 'everybody_for_now' }),
    ...(withPrivate && { isKept: false }),
  };
}

/** Returns when the data behind the counters was last fetched; requests it again in the background when that is due. */
async function lastAsked(
  context: AccountRouteContext,
  { account, provider }: ResolvedAccount,
  includesPrivate: boolean,
): Promise<Date> {
  const asOf = account.askedAt ?? context.now();
  // A user's public counters come from the provider, if it reports them; all others are counted from collected
  // contributions.
  const isTold = account.type !== 'organization' && provider.totalsFromStored === undefined;
  if (isTold && !includesPrivate) return asOf;
  const { listedAt, isUnfinished } = await findCollection(context.connection, account.id, {
    withPrivate: includesPrivate,
  });
  const isDue = isUnfinished || context.resolver.isStale(listedAt);
  if (isDue && !account.pinned) context.resolver.askInBackground(collectJob(account.id));
  return listedAt !== null && listedAt < asOf ? listedAt : asOf;
}

/**
 * Requests the totals that the provider's credentials see, and waits for them when those of a credential are not stored
 * yet.
 */
async function learnPrivate(
  { connection, resolver, now }: AccountRouteContext,
  { account, provider, deadline }: ResolvedAccount,
): Promise<void> {
  const accesses = provider.accesses(account);
  if (account.type !== 'user' || account.pinned || accesses.length === 0) return;
  const seen = await findReportedTotals(connection, account.id);
  const job = seeTotalsJob(account.id);
  const isUnknown = accesses.some((access) => !seen.some((totals) => totals.access === access));
  if (isUnknown) {
    const outcome = await findOutcome(connection, job.key, now());
    if (outcome === undefined) await resolver.askAndWait(job, deadline, async () => undefined);
  } else if (seen.some(({ askedAt }) => resolver.isStale(askedAt))) resolver.askInBackground(job);
}

/**
 * Finds a page of the history, newest day first. On the first page, the newest day includes the private contributions
 * that are stored now.
 */
async function findDays(
  { connection }: AccountRouteContext,
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
