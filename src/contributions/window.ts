import type { RouteServices } from '../accounts/resolve.ts';
import type { Account } from '../accounts/store.ts';
import type { ResolvedAccount } from '../http/endpoint.ts';
import type { Source } from '../http/envelope.ts';
import { countedUntil, endOfTime, type Window, windowsUpTo } from '../windows/window.ts';
import { findCollection, narrowUncollected } from './collection-store.ts';
import { findHistory } from './counter-store.ts';
import { type CounterName, type Counters, completeCounters, counterNames, unknownCounters } from './counters.ts';
import { countStored } from './private-store.ts';
import { findHostCounters } from './reported-window.ts';
import { type CountedAccount, countParts, findUndated } from './window-store.ts';

/** The counters of a window. */
export interface CountedWindow {
  window: Window;
  counters: Counters;
}

/** The counters of a window and of those before it, newest first. */
export interface WindowSeries {
  windows: CountedWindow[];
  /** Counters that may lack contributions. */
  missing: CounterName[];
  /** The origin of all numbers. */
  source: Source;
}

const dayMs = 86_400_000;

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
  { account, provider }: Pick<ResolvedAccount, 'account' | 'provider'>,
  { window, limit, withPrivate }: { window: Window; limit: number; withPrivate: boolean },
): Promise<WindowSeries> {
  const windows = windowsUpTo(window, limit);
  const counted = { id: account.id, isOwner: account.type === 'organization', withPrivate };
  const starts = windows.toReversed().map(({ since }) => since);
  const bounds = [...starts, countedUntil(window, now())];
  const read = async (): Promise<WindowSeries> => {
    // The state is read first: contributions collected after that make the numbers newer than the state, never older.
    const since = bounds[0] ?? null;
    const missing = await findMissing(
      connection,
      { ...counted, since, until: bounds.at(-1) ?? null },
      account.type,
      provider.accounts.reportsTotals,
    );
    const parts = (await countParts(connection, counted, { bounds })).toReversed();
    return {
      source: 'collected',
      missing,
      windows: windows.map((window, index) => ({ window, counters: parts[index] ?? unknownCounters })),
    };
  };
  // Contributions to repositories of others depend on more than this account.
  return withPrivate
    ? computations.alone(read)
    : computations.share(account.id, `window ${bounds.map((at) => at?.getTime()).join(' ')}`, read);
}

/** The counters that a host can report for whole days. */
const ofHost: readonly CounterName[] = ['commits', 'issues', 'pull_requests', 'reviews'];

/**
 * Counts an account's contributions in a window and in those before it. Uses the host's own numbers only for a single
 * window of public contributions of which collected data lacks some, and where the host has more. The two are never
 * mixed.
 * @throws AppError `invalid_input` when more than one window is wanted of one with an open side.
 */
export async function loadWindows(
  services: RouteServices,
  resolved: ResolvedAccount,
  wanted: { window: Window; limit: number; withPrivate: boolean },
): Promise<WindowSeries> {
  const collected = await countWindows(services, resolved, wanted);
  const isComplete = !ofHost.some((name) => collected.missing.includes(name));
  if (isComplete || wanted.limit > 1 || wanted.withPrivate) return collected;
  const reported = await findHostCounters(services, resolved, wanted.window);
  if (reported === undefined) return collected;
  const [present] = collected.windows;
  if (present !== undefined && ofHost.every((name) => isAsMany(present.counters[name], reported.counters[name]))) {
    const proven = new Set<CounterName>([...ofHost, 'contributed_to']);
    return { ...collected, missing: collected.missing.filter((name) => !proven.has(name)) };
  }
  const counters: Counters = { ...unknownCounters, ...reported.counters };
  const missing = counterNames.filter((name) => counters[name] === null);
  return { source: 'host', missing, windows: [{ window: wanted.window, counters }] };
}

function isAsMany(collected: number | null, reported: number | null | undefined): boolean {
  return typeof reported === 'number' && collected !== null && collected >= reported;
}

/**
 * Returns the counters that may lack contributions, because some are not collected or have no known time. A user's
 * contributions count as collected when there are at least as many as the host reports for the lifetime.
 */
export async function findMissing(
  connection: RouteServices['connection'],
  counted: CountedAccount & Pick<Window, 'since' | 'until'>,
  type: Account['type'],
  reportsTotals: boolean,
): Promise<CounterName[]> {
  const { id, withPrivate, since } = counted;
  const missing = new Set<CounterName>(await findUndated(connection, counted));
  if (type === 'organization') {
    const { uncollected } = await findCollection(connection, id, { withPrivate });
    const scope = { accountId: id, repositoryId: null, withPrivate };
    const uncollectedKinds = await narrowUncollected(connection, scope, uncollected, since);
    for (const name of completeCounters(unknownCounters, uncollectedKinds).missing) missing.add(name);
  } else {
    const [reported] = await findHistory(connection, id, { limit: 1 });
    const { counters: stored } = await countStored(connection, id, 'public');
    for (const name of counterNames) {
      const total = reported?.missing.includes(name) ? null : (reported?.counters[name] ?? null);
      if (total === null || (reportsTotals && stored[name] < total)) missing.add(name);
    }
    if (withPrivate) {
      const { uncollected } = await countStored(connection, id, 'private');
      for (const name of completeCounters(unknownCounters, uncollected).missing) missing.add(name);
    }
  }
  return counterNames.filter((name) => missing.has(name));
}
