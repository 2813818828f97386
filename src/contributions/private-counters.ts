import type { Connection } from '../database/connections/connection.ts';
import type { Account } from '../model/account.ts';
import { type CounterName, counterNames, missingCounters } from '../model/counters.ts';
import { sumTotals, withSums } from './present-counters.ts';
import { type CountersOfDay, findHistory, removePrivateCounters, savePrivateCounters } from './totals/counter-store.ts';
import { countStored, findReportedTotals } from './totals/private-store.ts';

/**
 * Adds the private contributions that are stored now to the public counters of a day. The totals of a provider's
 * credential contain public contributions and some of the same private ones. They therefore replace the sum where they
 * are higher, and are never added to it.
 */
export async function withPrivate(
  connection: Connection,
  account: Pick<Account, 'id' | 'type'>,
  day: CountersOfDay,
): Promise<CountersOfDay> {
  return account.type === 'organization'
    ? withSums(connection, account.id, 'all', day)
    : ofUser(connection, account.id, day);
}

async function ofUser(connection: Connection, accountId: string, day: CountersOfDay): Promise<CountersOfDay> {
  const { counters: stored, uncollected } = await countStored(connection, accountId, 'private');
  const seen = await findReportedTotals(connection, accountId);
  const counters = { ...day.counters };
  for (const name of counterNames) {
    const known = [
      ...(day.counters[name] === null && stored[name] === 0 ? [] : [(day.counters[name] ?? 0) + stored[name]]),
      ...seen.flatMap((totals) => totals.counters[name] ?? []),
    ];
    counters[name] = known.length === 0 ? null : Math.max(...known);
  }
  return { ...day, counters, missing: union(day.missing, missingCounters(uncollected)) };
}

function union(one: readonly CounterName[], other: readonly CounterName[]): CounterName[] {
  return counterNames.filter((name) => one.includes(name) || other.includes(name));
}

/** Stores the newest day's counters with private contributions included, where these make a difference. */
export async function recordPrivateCounters(
  connection: Connection,
  account: Pick<Account, 'id' | 'type'>,
): Promise<void> {
  const [day] = await findHistory(connection, account.id, { limit: 1 });
  if (day === undefined) return;
  const all =
    account.type === 'organization'
      ? await withSums(connection, account.id, 'all', day, sumTotals)
      : await ofUser(connection, account.id, day);
  if (isSame(all, day)) await removePrivateCounters(connection, account.id, day.day);
  else await savePrivateCounters(connection, account.id, all);
}

export function isSame(one: CountersOfDay, other: CountersOfDay): boolean {
  return counterNames.every((name) => one.counters[name] === other.counters[name]);
}
