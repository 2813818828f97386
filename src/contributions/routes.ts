import { type Static, Type } from 'typebox';
import { Entity, toEntity, unknownNumbers } from '../accounts/entity.ts';
import type { RouteServices } from '../accounts/resolve.ts';
import { AccountPath, type HandlerResult, type RequestContext } from '../http/pipeline/endpoint.ts';
import { envelope, formatTimestamp, type Progress, WindowSchema } from '../http/pipeline/envelope.ts';
import { FormatParameter } from '../http/pipeline/images.ts';
import { cutPage, itemsToRead, neighbourCursors, type Page, PageParameters } from '../http/pipeline/pagination.ts';
import { addEndpoint } from '../http/pipeline/pipeline.ts';
import type { App } from '../http/server/app.ts';
import type { Account } from '../model/account.ts';
import { type Counters, counterNames, sumExperience, unknownCounters } from '../model/counters.ts';
import { invalid } from '../model/errors.ts';
import { toLevel } from '../model/level.ts';
import { readTimeZone } from '../model/windows/moments.ts';
import { today } from '../model/windows/periods.ts';
import { toWindowMeaning, type Window, WindowParameters } from '../model/windows/window.ts';
import { type Calendar, findCalendar } from './calendar/calendar.ts';
import { StreakParameters, streaksIn } from './calendar/streaks.ts';
import { findDays } from './history.ts';
import { type LoadedLanguages, loadLanguagesCard, presentLanguages } from './languages/languages.ts';
import { lastFetched, loadPrivateTotals } from './last-fetched.ts';
import type { CountersOfDay } from './totals/counter-store.ts';
import { findProgress } from './totals/progress-store.ts';
import { loadWindows, type WindowSeries, wholeDays } from './windows/counted-window.ts';

const ContributionCounters = Type.Object(
  Object.fromEntries(counterNames.map((name) => [name, Type.Integer({ minimum: 0, examples: [24] })])),
  { title: 'ContributionCounters' },
);

/** The cards that are drawn from the response; the first is the default. */
const cards = ['contributions', 'calendar', 'streak', 'languages'] as const;
export type ContributionsCard = (typeof cards)[number];

/** An account with its lifetime counters, or those of a window. */
const EntityWithContributions = Type.Object(
  {
    ...Entity.properties,
    contributions: ContributionCounters,
    window: Type.Optional(WindowSchema),
    source: Type.Optional(
      Type.Enum(['collected', 'host'], { description: 'In a series: the origin of the counters of this window.' }),
    ),
    calendar_total: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          "In a series, where counters are missing: all contributions in the window by the host's own calendar, which has the last year.",
        examples: [54],
      }),
    ),
  },
  { title: 'EntityWithContributions' },
);

const Query = Type.Object({
  ...PageParameters.properties,
  ...WindowParameters.properties,
  format: FormatParameter,
  card: Type.Optional(Type.Enum([...cards], { description: 'The card to draw.', default: cards[0] })),
  ...StreakParameters.properties,
  private: Type.Optional(
    Type.Boolean({ description: 'Include private contributions, where the caller may see them.', default: false }),
  ),
});

const listing = 'contributions';

/** Registers endpoint 2: the lifetime counters, now and as they were on earlier days, and the cards of days. */
export function contributionRoutes(app: App, services: RouteServices): void {
  addEndpoint(app, services, {
    path: '/v1/:provider/entities/:name/contributions',
    operationId: 'listContributions',
    tag: 'Contributions',
    summary: "An account's contributions, in its lifetime or in a window of time",
    description:
      'With a window, `limit` is the length of a series: the window and those of the same length before it, newest first. `experience` and `level` are always lifetime.',
    readers: 'public',
    params: AccountPath,
    query: Query,
    listing: { name: listing, defaultLimit: 1 },
    dataType: 'entity',
    item: EntityWithContributions,
    cards,
    load: async (context): Promise<History | LoadedSeries | LoadedCalendar | LoadedLanguages | undefined> => {
      const { image } = context;
      if (image?.card === 'calendar' || image?.card === 'streak') return loadCalendar(services, context);
      if (image?.card === 'languages') return loadLanguagesCard(services, context, mayIncludePrivate(context));
      return context.window === undefined
        ? loadHistory(services, context)
        : loadSeries(services, context, context.window);
    },
    present: (data, context) => {
      if ('calendar' in data) return presentCalendar(services, data, context);
      if ('languages' in data) return presentLanguages(services, data, context);
      return 'series' in data ? presentSeries(services, data, context) : presentHistory(services, data, context);
    },
  });
}

type Context = RequestContext<unknown, Static<typeof Query>>;

/** A page of the history of an account's counters. */
interface History extends Page<CountersOfDay> {
  asOf: Date;
  missing: readonly string[];
  progress: Progress | undefined;
  includesPrivate: boolean;
}

/** The counters of windows, and the lifetime counters. */
interface LoadedSeries {
  series: WindowSeries;
  lifetime: Counters;
  asOf: Date;
  missing: readonly string[];
  progress: Progress | undefined;
  includesPrivate: boolean;
}

/** The calendar, which is drawn from days alone, without the counters. */
interface LoadedCalendar {
  calendar: Calendar;
  window: Window | undefined;
  missing: readonly string[];
  progress: Progress | undefined;
  includesPrivate: boolean;
}

async function loadHistory(services: RouteServices, context: Context): Promise<History> {
  const { page } = context;
  const includesPrivate = mayIncludePrivate(context);
  if (includesPrivate) await loadPrivateTotals(services, context);
  const found = await findDays(services, context, { ...page, limit: itemsToRead(page), includesPrivate });
  const asOf = await lastFetched(services, context, { includesPrivate, isCollected: false });
  const cut = cutPage(found, page.limit, page.start);
  const missing = listMissing(cut.page[0]);
  return { ...cut, asOf, missing, progress: await loadProgress(services, context, missing), includesPrivate };
}

/** Finds how far collecting the account's repositories is; private ones are counted for the owner alone. */
function loadProgress(
  { connection, now }: RouteServices,
  context: Context,
  missing: readonly string[],
): Promise<Progress | undefined> {
  const withPrivate = context.isOwner && mayIncludePrivate(context);
  return findProgress(connection, { accountId: context.account.id, repositoryId: null, withPrivate }, missing, now());
}

async function loadSeries(services: RouteServices, context: Context, requestedWindow: Window): Promise<LoadedSeries> {
  const { page, isOwner } = context;
  if (page.start.after !== undefined || page.start.before !== undefined) {
    throw invalid('A series of windows has no cursors; use limit instead of after or before.');
  }
  const includesPrivate = mayIncludePrivate(context);
  const window = includesPrivate && !isOwner ? wholeDays(requestedWindow) : requestedWindow;
  const terms = { window, limit: page.limit, withPrivate: includesPrivate };
  const series = await loadWindows(services, context, terms);
  const [newest] = await findDays(services, context, { limit: 1, start: {}, includesPrivate });
  const asOf = await lastFetched(services, context, { includesPrivate, isCollected: true });
  const missing = [...series.missing, ...incompleteSums(newest)];
  const progress = await loadProgress(services, context, missing);
  return { series, lifetime: newest?.counters ?? unknownCounters, asOf, missing, progress, includesPrivate };
}

async function loadCalendar(services: RouteServices, context: Context): Promise<LoadedCalendar | undefined> {
  const includesPrivate = mayIncludePrivate(context);
  const { window } = context;
  const timeZone = calendarZone(context);
  const calendar = await findCalendar(services, context, { withPrivate: includesPrivate, window, timeZone });
  if (calendar === undefined) return undefined;
  const missing = calendar.isFinal ? [] : ['days'];
  return { calendar, window, missing, progress: await loadProgress(services, context, missing), includesPrivate };
}

/** Returns the time zone of days; UTC where another one would show at which hours of the day a person works in private. */
function calendarZone(context: Context): string {
  return mayIncludePrivate(context) && !context.isOwner ? 'UTC' : readTimeZone(context.query.time_zone);
}

/** Returns whether the request wants private contributions, and the caller may see them. */
function mayIncludePrivate({ query, isOwner, account }: Context): boolean {
  return query.private === true && (isOwner || account.publishesPrivate);
}

function presentHistory(
  { cursors, resolver, publicUrl }: RouteServices,
  history: History,
  { account, provider }: Context,
): HandlerResult {
  const { page: days, asOf, missing, progress, includesPrivate } = history;
  const urls = { url: provider.accounts.toUrl(account), publicUrl: publicUrl() };
  // The first item is the account as it is now, which has one time of its last change on all endpoints.
  const toTime = (day: CountersOfDay): Date =>
    day === days[0] && !history.hasPrevious ? account.updatedAt : day.updatedAt;
  return {
    envelope: envelope({
      dataType: 'entity',
      data: days.map((day) => toItem(account, urls, { ...day, updatedAt: toTime(day) })),
      provenance: { asOf, missing, progress, includesPrivate },
      ...neighbourCursors(history, ({ day }) => cursors.write(listing, [account.id, day])),
    }),
    staleAt: resolver.staleAt(asOf),
    cardInput: { countsCollected: account.type !== 'organization' && !provider.accounts.reportsTotals },
    // The response also counts contributions to repositories of other accounts.
    ...(includesPrivate && { isWithdrawable: true, isCacheable: false }),
  };
}

function presentSeries(
  { resolver, publicUrl }: RouteServices,
  {
    series: { windows, source, calendarIncludesPrivate = false },
    lifetime,
    asOf,
    missing,
    progress,
    ...loaded
  }: LoadedSeries,
  { account, provider }: Context,
): HandlerResult {
  const urls = { url: provider.accounts.toUrl(account), publicUrl: publicUrl() };
  const includesPrivate = loaded.includesPrivate || calendarIncludesPrivate;
  return {
    envelope: envelope({
      dataType: 'entity',
      data: windows.map(({ window, counters, source: ofWindow, calendarTotal }) => ({
        ...toCountedEntity(account, urls, lifetime),
        contributions: toMembers(counters),
        window: toWindowMeaning(window),
        ...(windows.length > 1 && { source: ofWindow }),
        ...(calendarTotal !== undefined && { calendar_total: calendarTotal }),
      })),
      provenance: {
        asOf,
        missing,
        progress,
        includesPrivate,
        ...(windows[0] && { window: windows[0].window }),
        source,
      },
    }),
    staleAt: resolver.staleAt(asOf),
    cardInput: { countsCollected: source === 'collected' && account.type !== 'organization' },
    ...(includesPrivate && { isWithdrawable: true }),
    ...(loaded.includesPrivate && { isCacheable: false }),
  };
}

function presentCalendar(
  { resolver, now, publicUrl }: RouteServices,
  { calendar: { input, asOf }, window, missing, progress, includesPrivate }: LoadedCalendar,
  context: Context,
): HandlerResult {
  const { account, provider, image, query } = context;
  const present = today(now(), calendarZone(context));
  return {
    envelope: envelope({
      dataType: 'entity',
      data: [toEntity(account, { url: provider.accounts.toUrl(account), publicUrl: publicUrl() })],
      provenance: {
        asOf,
        missing,
        progress,
        includesPrivate: input.includesPrivate,
        ...(window && { window }),
      },
    }),
    staleAt: resolver.staleAt(asOf),
    cardInput: {
      calendar: input,
      ...(image?.card === 'streak' && {
        streaks: streaksIn(input, query, { present, isCut: window !== undefined }),
      }),
    },
    // Private contributions are shown only as long as their owner publishes them, here or at the provider.
    ...(input.includesPrivate && { isWithdrawable: true }),
    ...(includesPrivate && { isCacheable: false }),
  };
}

/**
 * Returns the names of the values that may be outdated or unknown: the missing counters, and the sums that contain
 * them.
 */
function listMissing(day: CountersOfDay | undefined): string[] {
  return [...(day?.missing ?? []), ...incompleteSums(day)];
}

function toItem(account: Account, urls: { url: string; publicUrl: string }, day: CountersOfDay): object {
  return {
    ...toCountedEntity(account, urls, day.counters),
    contributions: toMembers(day.counters),
    updated_dttm: formatTimestamp(day.updatedAt),
  };
}

function toMembers(counters: Counters): Record<string, number> {
  return Object.fromEntries(counterNames.map((name) => [name, counters[name] ?? 0]));
}

/** Adds endpoint 1: the account itself, with its experience, which follows from its counters. */
export function accountRoutes(app: App, services: RouteServices): void {
  const { connection, resolver, now, publicUrl } = services;
  addEndpoint(app, services, {
    path: '/v1/:provider/entities/:name',
    operationId: 'getAccount',
    tag: 'Accounts',
    summary: 'An account',
    description: '`experience` and `level` are in `missing` while one of the counters is incomplete.',
    readers: 'public',
    params: AccountPath,
    query: Type.Object({
      ...PageParameters.properties,
      format: Type.Optional(Type.Enum(['json'], { default: 'json' })),
    }),
    // The listing has one item, so that no cursor is ever sent.
    listing: { name: 'entity', defaultLimit: 1 },
    dataType: 'entity',
    item: Entity,
    load: async (context) => {
      const [day] = await findDays(services, context, { limit: 1, start: {}, includesPrivate: false });
      const asOf = await lastFetched(services, context, { includesPrivate: false, isCollected: false });
      const sums = incompleteSums(day);
      const missing = [...unknownNumbers(context.account), ...sums];
      const scope = { accountId: context.account.id, repositoryId: null, withPrivate: false };
      const found = await findProgress(connection, scope, missing, now());
      // Hosts withhold the other numbers.
      const progress = found && sums.length === 0 ? { ...found, reason: 'refused' as const } : found;
      return { counters: day?.counters ?? unknownCounters, asOf, missing, progress };
    },
    present: ({ counters, asOf, missing, progress }, { account, provider }) => ({
      envelope: envelope({
        dataType: 'entity',
        data: [toCountedEntity(account, { url: provider.accounts.toUrl(account), publicUrl: publicUrl() }, counters)],
        provenance: { asOf, missing, progress, includesPrivate: false },
      }),
      staleAt: resolver.staleAt(asOf),
    }),
  });
}

/** Returns the names of the sums of all counters where these may be incomplete. */
function incompleteSums(day: CountersOfDay | undefined): string[] {
  return (day?.missing ?? []).length === 0 ? [] : ['experience', 'level'];
}

/** Returns an account in the form of the API, with the sums of its lifetime counters. */
function toCountedEntity(account: Account, urls: { url: string; publicUrl: string }, lifetime: Counters): Entity {
  const experience = sumExperience(lifetime);
  return { ...toEntity(account, urls), experience, level: toLevel(experience) };
}
