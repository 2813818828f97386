import type { LoadServices } from '../../accounts/resolve.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { findOutcome } from '../../database/queue/lookups.ts';
import type { DayRange } from '../../hosts/interface/provider.ts';
import type { ResolvedAccount } from '../../http/pipeline/endpoint.ts';
import type { Window } from '../../model/windows/window.ts';
import { fetchWindowJob } from '../items/jobs.ts';
import { findReportedWindow, findReportedWindows, type ReportedWindow } from './reported-window-store.ts';

const dayMs = 86_400_000;
/** The host needs some time until its own numbers hold the latest contributions. */
const settledAfterMs = dayMs;
/** Days of the past change too: by commits with old dates, and by repositories that are shown or hidden. */
const settledForMs = 7 * dayMs;

/**
 * Finds the host's own counters of a user in a window of whole days (UTC). Waits until the deadline when none are
 * stored; refreshes stale ones in the background.
 * @returns undefined when the host has none, when the window is not of whole days, or while they are not fetched yet.
 */
export async function findHostCounters(
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
export function findStoredHostCounters(
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
  return { first: dayOf(since), last: dayOf(new Date(last)) };
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
