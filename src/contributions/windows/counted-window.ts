import type { LoadServices, RouteServices } from '../../accounts/resolve.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { findOutcome } from '../../database/queue/lookups.ts';
import type { DayRange } from '../../hosts/interface/provider.ts';
import type { ResolvedAccount } from '../../http/pipeline/endpoint.ts';
import type { Source } from '../../http/pipeline/envelope.ts';
import type { Account } from '../../model/account.ts';
import {
  type CounterName,
  type Counters,
  counterNames,
  eachCounter,
  missingCounters,
  unknownCounters,
} from '../../model/counters.ts';
import { countedUntil, endOfTime, type Window, windowsUpTo } from '../../model/windows/window.ts';
import { sumHostCalendar } from '../calendar/calendar.ts';
import { findCollection, narrowUncollected } from '../items/collection-store.ts';
import { fetchWindowJob } from '../items/jobs.ts';
import { findHistory } from '../totals/counter-store.ts';
import { findOverstated } from '../totals/overstated-store.ts';
import { countStored } from '../totals/private-store.ts';
import { areTotalsWanted } from '../totals/wanted-totals-store.ts';
import {
  type CountedAccount,
  countParts,
  findReportedWindow,
  findReportedWindows,
  findUndated,
  type ReportedWindow,
} from './counted-window-store.ts';

const dayMs = 86_400_000;

/** The host needs some time until its own numbers hold the latest contributions. */
const settledAfterMs = dayMs;
/** Days of the past change too: by commits with old dates, and by repositories that are shown or hidden. */
const settledForMs = 7 * dayMs;

/** The counters of a window. */
interface CountedWindow {
  window: Window;
  counters: Counters;
  source: Source;
  /** All contributions by the host's own calendar; undefined where it does not have the days, or is not needed. */
  calendarTotal?: number | undefined;
}

/** The counters of a window and of those before it, newest first. */
export interface WindowSeries {
  windows: CountedWindow[];
  /** Counters that may lack contributions. */
  missing: CounterName[];
  /** The origin of the numbers of the newest window. */
  source: Source;
  /** True when the sums of the calendar have private contributions, which their owner publishes at the host. */
  calendarIncludesPrivate?: boolean;
}

/** Widens a window to whole days (UTC), so that no caller sees at which hours of the day a person works in private. */
export function wholeDays(window: Window): Window {
  const { since, until, length } = window;
  const first = since && new Date(Math.floor(since.getTime() / dayMs) * dayMs);
  const midnight = until && new Date(Math.ceil(until.getTime() / dayMs) * dayMs);
  const end = midnight && midnight < endOfTime ? midnight : null;
  const isSame = first?.getTime() === since?.getTime() && end?.getTime() === until?.getTime();
  const days = first && end && { days: (end.getTime() - first.getTime()) / dayMs };
  return { since: first, until: end, timeZone: 'UTC', length: isSame && window.timeZone === 'UTC' ? length : days };
}

/**
 * Counts the collected contributions of an account in a window and in those of the same length before it.
 * @throws AppError `invalid_input` when more than one window is wanted of one with an open side.
 */
async function countWindows(
  { connection, computations, now }: Pick<RouteServices, 'connection' | 'computations' | 'now'>,
  account: Account,
  { window, limit, withPrivate }: { window: Window; limit: number; withPrivate: boolean },
): Promise<WindowSeries> {
  const windows = windowsUpTo(window, limit);
  const counted = { id: account.id, isOwner: account.type === 'organization', withPrivate };
  const starts = windows.toReversed().map(({ since }) => since);
  const bounds = [...starts, countedUntil(window, now())];
  const read = async (): Promise<WindowSeries> => {
    // The state is read first: contributions collected after that make the numbers newer than the state, never older.
    const since = bounds[0] ?? null;
    const missing = await findMissing(connection, { ...counted, since, until: bounds.at(-1) ?? null }, account.type);
    const parts = (await countParts(connection, counted, { bounds })).toReversed();
    return {
      source: 'collected',
      missing,
      windows: windows.map((window, index) => ({
        window,
        source: 'collected',
        counters: parts[index] ?? unknownCounters,
      })),
    };
  };
  // Contributions to repositories of others depend on more than this account.
  return withPrivate
    ? computations.alone(read)
    : computations.share(account.id, `window ${bounds.map((at) => at?.getTime()).join(' ')}`, read);
}

/** The counters that a host can report for whole days. */
export const ofHost: readonly CounterName[] = ['commits', 'issues', 'pull_requests', 'reviews'];

/**
 * Counts an account's contributions in a window and in those before it. Where collected data lacks public contributions of a
 * user, the host's own numbers of a window replace it if they are known and more: those of the newest window are fetched,
 * those of earlier ones only found. A counter is never less than the collected one. In a series, the host's own calendar gives the
 * sums.
 * @throws AppError `invalid_input` when more than one window is wanted of one with an open side.
 */
export async function loadWindows(
  services: RouteServices,
  resolved: ResolvedAccount,
  wanted: { window: Window; limit: number; withPrivate: boolean },
): Promise<WindowSeries> {
  const collected = await countWindows(services, resolved.account, wanted);
  // Neither these nor the host's agree with the lifetime numbers.
  if (await areTotalsWanted(services.connection, resolved.account)) return { ...collected, missing: [...counterNames] };
  const isComplete = !ofHost.some((name) => collected.missing.includes(name));
  if (isComplete || wanted.withPrivate) return collected;
  const windows = collected.windows.map(({ window }) => window);
  const newest = await findHostCounters(services, resolved, wanted.window);
  const reported = [newest, ...(await findStoredHostCounters(services, resolved, windows.slice(1)))];
  const chosen = collected.windows.map((counted, index) => choose(counted, collected.missing, reported[index]));
  // As much as the host counts is no proof while something that it deleted is stored.
  const overstated =
    resolved.account.type === 'organization' ? [] : await findOverstated(services.connection, resolved.account.id);
  const calendar = windows.length > 1 ? await sumHostCalendar(services, resolved, windows) : undefined;
  return {
    source: chosen[0]?.source ?? 'collected',
    missing: counterNames.filter(
      (name) => overstated.includes(name) || chosen.some(({ missing }) => missing.includes(name)),
    ),
    windows: chosen.map(({ window, counters, source }, index) => ({
      window,
      counters,
      source,
      calendarTotal: calendar?.totals[index],
    })),
    ...(calendar && { calendarIncludesPrivate: calendar.includesPrivate }),
  };
}

/** Returns the host's counters of a window where they are known and more than the collected ones. */
function choose(
  counted: CountedWindow,
  missing: readonly CounterName[],
  reported: ReportedWindow | undefined,
): CountedWindow & { missing: readonly CounterName[] } {
  if (reported === undefined) return { ...counted, missing };
  if (ofHost.every((name) => isAsMany(counted.counters[name], reported.counters[name]))) {
    const proven = new Set<CounterName>([...ofHost, 'contributed_to']);
    return { ...counted, missing: missing.filter((name) => !proven.has(name)) };
  }
  // Counters that the host does not have are those of collected data, and missing.
  const isReported = (name: CounterName): boolean => typeof reported.counters[name] === 'number';
  const counters = eachCounter((name) => largest(reported.counters[name], counted.counters[name]));
  return { ...counted, source: 'host', counters, missing: counterNames.filter((name) => !isReported(name)) };
}

function largest(...numbers: (number | null | undefined)[]): number | null {
  const known = numbers.filter((number) => typeof number === 'number');
  return known.length === 0 ? null : Math.max(...known);
}

function isAsMany(collected: number | null, reported: number | null | undefined): boolean {
  return typeof reported === 'number' && collected !== null && collected >= reported;
}

/**
 * Returns the counters that may lack contributions, because some are not collected or have no known time. A user's
 * contributions count as collected when there are at least as many as the host reports for the lifetime, unless repositories are being read again
 * because there are more.
 */
export async function findMissing(
  connection: RouteServices['connection'],
  counted: CountedAccount & Pick<Window, 'since' | 'until'>,
  type: Account['type'],
): Promise<CounterName[]> {
  const { id, withPrivate, since } = counted;
  const missing = new Set<CounterName>(await findUndated(connection, counted));
  const [reported] = await findHistory(connection, id, { limit: 1 });
  if (type === 'organization') {
    // Stars belong to no kind that is collected: they are known once the repositories are listed.
    if (typeof reported?.counters.stars !== 'number') missing.add('stars');
    const { uncollected } = await findCollection(connection, id, { withPrivate });
    const scope = { accountId: id, repositoryId: null, withPrivate };
    const uncollectedKinds = await narrowUncollected(connection, scope, uncollected, since);
    for (const name of missingCounters(uncollectedKinds)) missing.add(name);
  } else {
    const { counters: stored } = await countStored(connection, id, 'public', { withForks: true });
    for (const name of counterNames) {
      const total = reported?.missing.includes(name) ? null : (reported?.counters[name] ?? null);
      if (total === null || stored[name] < total) missing.add(name);
    }
    for (const name of await findOverstated(connection, id)) missing.add(name);
    if (withPrivate) {
      const { uncollected } = await countStored(connection, id, 'private');
      for (const name of missingCounters(uncollected)) missing.add(name);
    }
  }
  return counterNames.filter((name) => missing.has(name));
}

/**
 * Finds the host's own counters of a user in a window of whole days (UTC). Waits until the deadline when none are
 * stored; refreshes stale ones in the background.
 * @returns undefined when the host has none, when the window is not of whole days, or while they are not fetched yet.
 */
async function findHostCounters(
  { connection, resolver, now }: LoadServices,
  { account, provider, ...terms }: ResolvedAccount,
  window: Window,
): Promise<ReportedWindow | undefined> {
  const range = toRange(window, now());
  const isReported = account.type === 'user' && !account.pinned && provider.accounts.countDays !== undefined;
  if (range === undefined || !isReported) return undefined;
  const job = fetchWindowJob({ accountId: account.id, ...range });
  const find = (within = connection): Promise<ReportedWindow | undefined> =>
    findReportedWindow(within, account.id, range);
  const isStored = async (transaction: Connection): Promise<boolean> => (await find(transaction)) !== undefined;
  const known = await find();
  if (known !== undefined) {
    const isSettled = known.fetchedAt.getTime() > Date.parse(range.last) + dayMs + settledAfterMs;
    const isDue = isSettled
      ? known.fetchedAt.getTime() + settledForMs <= now().getTime()
      : resolver.isStale(known.fetchedAt);
    if (isDue) resolver.requestInBackground(job);
    return known;
  }
  if ((await findOutcome(connection, job.key, now())) === undefined)
    await resolver.requestAndWait(job, terms, find, isStored);
  return find();
}

/** Finds the host's own counters of windows that are stored, without fetching any. */
function findStoredHostCounters(
  { connection, now }: Pick<LoadServices, 'connection' | 'now'>,
  { account }: Pick<ResolvedAccount, 'account'>,
  windows: readonly Window[],
): Promise<(ReportedWindow | undefined)[]> {
  return findReportedWindows(
    connection,
    account.id,
    windows.map((window) => toRange(window, now())),
  );
}

/** Returns the days of a window up to the present one; undefined unless they are whole, and both ends are given. */
function toRange({ since, until }: Window, now: Date): DayRange | undefined {
  if (since === null || until === null || since >= until) return undefined;
  if (since.getTime() % dayMs !== 0 || until.getTime() % dayMs !== 0 || since > now) return undefined;
  const last = Math.min(until.getTime() - 1, now.getTime());
  return { first: formatDay(since), last: formatDay(new Date(last)) };
}

function formatDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}
