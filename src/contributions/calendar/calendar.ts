import { Temporal } from 'temporal-polyfill';
import type { LoadServices } from '../../accounts/resolve.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { findOutcome } from '../../database/queue/lookups.ts';
import type { ResolvedAccount } from '../../http/pipeline/endpoint.ts';
import type { CalendarInput } from '../../http/pipeline/images.ts';
import { counterNames } from '../../model/counters.ts';
import { ofContributions, storedCounters } from '../../model/kinds.ts';
import { startOfDay } from '../../model/windows/moments.ts';
import { today } from '../../model/windows/periods.ts';
import type { Window } from '../../model/windows/window.ts';
import { awaitListing } from '../items/await-listing.ts';
import { findCollection } from '../items/collection-store.ts';
import { calendarJob } from '../items/jobs.ts';
import { isCollectingDays } from '../totals/expected-totals-store.ts';
import { areTotalsWanted } from '../totals/wanted-totals-store.ts';
import { type CountedAccount, countParts } from '../windows/counted-window-store.ts';
import { findReportedCalendar, type StoredCalendar } from './calendar-store.ts';

const dayMs = 86_400_000;
/** The days of the calendar without a window. */
const daysOfLastYear = 365;

/** Contributions by day, and how current and complete they are. */
export interface Calendar {
  input: CalendarInput;
  asOf: Date;
  /** False while days may still change because something is being collected or fetched. */
  isFinal: boolean;
}

/** Which contributions a calendar has. */
interface CalendarTerms {
  withPrivate: boolean;
  /** Absent: the last year. */
  window?: Window | undefined;
  /** IANA name. The host's own calendar keeps the days of the host. */
  timeZone: string;
}

/** The first and the last day of a calendar, `YYYY-MM-DD`. */
type Days = Pick<CalendarInput, 'from' | 'until'>;

/** Returns the days of a window up to the present one, of a long window those of its last year. */
function daysOfWindow(window: Window | undefined, present: string): Days {
  const last = window?.until ? today(new Date(window.until.getTime() - 1), window.timeZone).toString() : present;
  const first = window?.since ? today(window.since, window.timeZone).toString() : '';
  // A window that begins tomorrow has its first day, on which nothing has happened.
  const until = [first, last < present ? last : present].toSorted().at(-1) ?? present;
  const earliest = window === undefined ? addDays(until, 1 - daysOfLastYear) : firstDayOfYear(until);
  return { from: first > earliest ? first : earliest, until };
}

/**
 * Finds the calendar of an account: for a user the provider's own calendar, where the provider has one and private
 * contributions are not requested; otherwise the days of the contributions that this service has collected.
 * @returns undefined while neither is stored.
 * @throws AppError when the provider failed and nothing is stored.
 */
export async function findCalendar(
  services: LoadServices,
  resolved: ResolvedAccount,
  terms: CalendarTerms,
): Promise<Calendar | undefined> {
  const found = await findKnownCalendar(services, resolved, terms);
  return (
    found && { ...found, isFinal: found.isFinal && !(await areTotalsWanted(services.connection, resolved.account)) }
  );
}

async function findKnownCalendar(
  services: LoadServices,
  resolved: ResolvedAccount,
  { withPrivate, window, timeZone }: CalendarTerms,
): Promise<Calendar | undefined> {
  const days = daysOfWindow(window, today(services.now(), timeZone).toString());
  const terms = { withPrivate, days, timeZone };
  if (withPrivate || !hasOwnCalendar(resolved)) return collectedCalendar(services, resolved, terms);
  const reported = await awaitReported(services, resolved);
  if (typeof reported === 'object') {
    if (window === undefined) return reportedCalendar(reported);
    if (terms.days.from >= reported.firstDay) return cutCalendar(reportedCalendar(reported), terms.days);
    return collectedCalendar(services, resolved, terms);
  }
  if (reported === 'absent') return collectedCalendar(services, resolved, terms);
  // The provider's own calendar replaces these days once it is fetched.
  const collected =
    reported === 'failed'
      ? await collectedCalendar(services, resolved, terms)
      : await storedCalendar(services, resolved, terms);
  return collected && { ...collected, isFinal: false };
}

/** Returns whether the host has a calendar of its own for an account. */
function hasOwnCalendar({ account, provider }: Pick<ResolvedAccount, 'account' | 'provider'>): boolean {
  return account.type === 'user' && !account.pinned && provider.accounts.fetchCalendar !== undefined;
}

/**
 * Sums the host's own calendar in windows of whole days. Waits until the deadline when none is stored.
 * @returns undefined without a calendar; an undefined sum for a window whose days it does not have.
 */
export async function sumHostCalendar(
  services: LoadServices,
  resolved: ResolvedAccount,
  windows: readonly Window[],
): Promise<{ totals: (number | undefined)[]; includesPrivate: boolean } | undefined> {
  const reported = hasOwnCalendar(resolved) ? await awaitReported(services, resolved) : undefined;
  if (typeof reported !== 'object') return undefined;
  const calendar = reportedCalendar(reported);
  const { from, until } = calendar.input;
  const totals = windows.map((window) => {
    const days = toWholeDays(window);
    if (days === undefined || days.from < from || days.from > until) return undefined;
    return cutCalendar(calendar, days).input.total;
  });
  return { totals, includesPrivate: reported.includesPrivate };
}

/** Returns the first and the last day of a window in its time zone; undefined unless both are whole. */
function toWholeDays({ since, until, timeZone, length }: Window): Days | undefined {
  if (since === null || until === null || length === null || 'milliseconds' in length) return undefined;
  const last = today(new Date(until.getTime() - 1), timeZone);
  return { from: today(since, timeZone).toString(), until: last.toString() };
}

/**
 * Finds the reported calendar. Waits until the deadline when none is stored; refreshes a stale one in the background.
 * @returns `absent` when the provider has no calendar of the account, `failed` when it could not be fetched, `pending`
 *   while it is being fetched.
 */
async function awaitReported(
  { connection, resolver, now }: LoadServices,
  { account, ...terms }: ResolvedAccount,
): Promise<StoredCalendar | 'absent' | 'failed' | 'pending'> {
  const job = calendarJob(account.id);
  const find = (within = connection): Promise<StoredCalendar | undefined> => findReportedCalendar(within, account.id);
  const isStored = async (transaction: Connection): Promise<boolean> => (await find(transaction)) !== undefined;
  const known = await find();
  if (known !== undefined) {
    if (resolver.isStale(known.fetchedAt)) resolver.requestInBackground(job);
    return known;
  }
  if ((await findOutcome(connection, job.key, now())) === undefined)
    await resolver.requestAndWait(job, terms, find, isStored);
  return (await find()) ?? (await findOutcome(connection, job.key, now()))?.state ?? 'pending';
}

function reportedCalendar({ firstDay, counts, total, includesPrivate, fetchedAt }: StoredCalendar): Calendar {
  const days = counts.map((contributions, index) => ({ day: addDays(firstDay, index), contributions }));
  return {
    input: {
      source: 'provider',
      from: firstDay,
      until: addDays(firstDay, counts.length - 1),
      days: days.filter(({ contributions }) => contributions > 0),
      total,
      includesPrivate,
    },
    asOf: fetchedAt,
    isFinal: true,
  };
}

/** Returns some of the days of a calendar. */
function cutCalendar({ input, ...calendar }: Calendar, { from, until }: Days): Calendar {
  const days = input.days.filter(({ day }) => day >= from && day <= until);
  const total = sum(days.map(({ contributions }) => contributions));
  return { ...calendar, input: { ...input, from, until, days, total } };
}

interface CollectedTerms {
  withPrivate: boolean;
  days: Days;
  timeZone: string;
}

/** Makes sure that the account's repositories are listed and read, and returns the days of the contributions so far. */
async function collectedCalendar(
  services: LoadServices,
  resolved: ResolvedAccount,
  options: CollectedTerms,
): Promise<Calendar | undefined> {
  const listing = await awaitListing(services, { ...resolved, isOwner: options.withPrivate });
  return listing && storedCalendar(services, resolved, options);
}

/**
 * Returns the days of the contributions collected so far; undefined while none is collected, because some may follow.
 */
function storedCalendar(
  services: LoadServices,
  { account }: ResolvedAccount,
  terms: CollectedTerms,
): Promise<Calendar | undefined> {
  const { withPrivate, days, timeZone } = terms;
  const read = (): Promise<Calendar | undefined> => readCalendar(services, account, terms);
  // Private contributions to repositories of others depend on more than this account.
  return withPrivate
    ? services.computations.alone(read)
    : services.computations.share(account.id, `days ${days.from} ${days.until} ${timeZone}`, read);
}

async function readCalendar(
  { connection }: LoadServices,
  account: ResolvedAccount['account'],
  { withPrivate, days: { from, until }, timeZone }: CollectedTerms,
): Promise<Calendar | undefined> {
  const query = { accountId: account.id, from, to: until, withPrivate };
  const isOrganization = account.type === 'organization';
  // The state is read first: contributions collected after that make the days newer than the state, never older.
  const { listedAt, isUnfinished } = await findCollection(connection, account.id, { withPrivate });
  if (listedAt === null) return undefined;
  const isCollecting = isUnfinished || (!isOrganization && (await isCollectingDays(connection, query)));
  const counted = { id: account.id, isOwner: isOrganization, withPrivate };
  const days = await countDays(connection, counted, { from, until, timeZone });
  if (days.length === 0 && isCollecting) return undefined;
  return {
    input: {
      source: 'collected',
      from,
      until,
      days,
      total: sum(days.map(({ contributions }) => contributions)),
      includesPrivate: withPrivate,
    },
    asOf: listedAt,
    isFinal: !isCollecting,
  };
}

const contributions = ofContributions(storedCounters);
const contributionNames = counterNames.filter((name) => contributions.some((counter) => counter.name === name));

/** Counts the contributions of each day that has some, in the same way as the counters of a window with these days. */
async function countDays(
  connection: Connection,
  account: CountedAccount,
  { from, until, timeZone }: Days & { timeZone: string },
): Promise<CalendarInput['days']> {
  const first = Temporal.PlainDate.from(from);
  const { days: length } = first.until(until, { largestUnit: 'days' });
  const bounds = Array.from({ length: length + 2 }, (_, days) => startOfDay(first.add({ days }), timeZone));
  const parts = await countParts(connection, account, { bounds }, contributions);
  return parts
    .map((counters, index) => ({
      day: first.add({ days: index }).toString(),
      contributions: sum(contributionNames.map((name) => counters[name])),
    }))
    .filter((day) => day.contributions > 0);
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** Returns the first day of the year that ends with a day: of 366 days where the year has a leap day. */
function firstDayOfYear(until: string): string {
  return Temporal.PlainDate.from(until).subtract({ years: 1 }).add({ days: 1 }).toString();
}

function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);
}
