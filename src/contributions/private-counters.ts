import type { Account } from '../accounts/store.ts';
import type { Connection } from '../database/connection.ts';
import { type CountersOfDay, findHistory, removePrivateCounters, savePrivateCounters } from './counter-store.ts';
import { type CounterName, completeCounters, counterNames, unknownCounters } from './counters.ts';
import { countStored, findSeenTotals } from './private-store.ts';
import { sumOverOwned } from './total-store.ts';

/**
 * Adds to the public counters of a day what is private, as it is stored now. What a provider's credential counts holds
 * public contributions and some of the same private ones, so it takes the place of the sum where it is more, and is never
 * added to it.
 */
export async function withPrivate(
  connection: Connection,
  account: Pick<Account, 'id' | 'type'>,
  day: CountersOfDay,
): Promise<CountersOfDay> {
  return account.type === 'organization'
    ? ofOrganization(connection, account.id, day)
    : ofUser(connection, account.id, day);
}

async function ofUser(connection: Connection, accountId: string, day: CountersOfDay): Promise<CountersOfDay> {
  const { counters: stored, uncollected } = await countStored(connection, accountId, 'private');
  const seen = await findSeenTotals(connection, accountId);
  const counters = { ...day.counters };
  for (const name of counterNames) {
    const known = [
      ...(day.counters[name] === null && stored[name] === 0 ? [] : [(day.counters[name] ?? 0) + stored[name]]),
      ...seen.flatMap((totals) => totals.counters[name] ?? []),
    ];
    counters[name] = known.length === 0 ? null : Math.max(...known);
  }
  return { ...day, counters, missing: union(day.missing, completeCounters(counters, uncollected).missing) };
}

async function ofOrganization(connection: Connection, accountId: string, day: CountersOfDay): Promise<CountersOfDay> {
  const { counters, listedAt, uncollected } = await sumOverOwned(connection, accountId, { withPrivate: true });
  const { missing } = completeCounters(counters, uncollected);
  return { ...day, counters: listedAt === null ? unknownCounters : counters, missing };
}

function union(one: readonly CounterName[], other: readonly CounterName[]): CounterName[] {
  return counterNames.filter((name) => one.includes(name) || other.includes(name));
}

/** Keeps what the newest day's counters are with what is private, where that makes a difference. */
export async function recordPrivateCounters(
  connection: Connection,
  account: Pick<Account, 'id' | 'type'>,
): Promise<void> {
  const [day] = await findHistory(connection, account.id, { limit: 1 });
  if (day === undefined) return;
  const all = await withPrivate(connection, account, day);
  if (isSame(all, day)) await removePrivateCounters(connection, account.id, day.day);
  else await savePrivateCounters(connection, account.id, all);
}

export function isSame(one: CountersOfDay, other: CountersOfDay): boolean {
  return counterNames.every((name) => one.counters[name] === other.counters[name]);
}
