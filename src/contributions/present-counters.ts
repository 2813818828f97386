import type { Connection } from '../database/connections/connection.ts';
import type { ResolvedAccount } from '../http/pipeline/endpoint.ts';
import type { Account } from '../model/account.ts';
import { type CounterName, counterNames, eachCounter, missingCounters } from '../model/counters.ts';
import { type CountersOfDay, findHistory, removePrivateCounters, savePrivateCounters } from './totals/counter-store.ts';
import { compareStored, countUncounted, findOverstated } from './totals/overstated-store.ts';
import { type OwnedTotals, sumOverOwned } from './totals/owner-sum-store.ts';
import { countStored, findReportedTotals } from './totals/private-store.ts';
import type { Visibility } from './totals/uncollected-store.ts';

/**
 * Replaces public counters of an account by the sums of the data that is stored now, where they are incomplete or less, so that its windows
 * and evidence have the same numbers. Those of an organization are always such sums.
 * @param day the counters as they were last stored.
 */
export async function withStored(
  connection: Connection,
  { account, provider }: Pick<ResolvedAccount, 'account' | 'provider'>,
  day: CountersOfDay,
): Promise<CountersOfDay> {
  if (account.type === 'organization') return withSums(connection, account.id, 'public', day);
  // A refresh raises complete counters to the stored sums, which take as many reads as a person has repositories.
  if (day.missing.length === 0) return day;
  const { counters: stored } = await countStored(connection, account.id, 'public');
  // Hosts list stars, and most hosts report totals: their last good number may hold more than is stored.
  const isSum = !provider.accounts.reportsTotals && !account.pinned;
  const counters = eachCounter((name) => {
    const isMissing = day.missing.includes(name);
    if (!isMissing && name === 'stars') return day.counters[name];
    return isMissing && isSum && name !== 'stars' ? stored[name] : Math.max(stored[name], day.counters[name] ?? 0);
  });
  const isMore = compareStored(stored, day).some((name) => !day.missing.includes(name));
  const overstated = isMore ? await findOverstated(connection, account.id) : [];
  const missing = counterNames.filter((name) => day.missing.includes(name) || overstated.includes(name));
  return { ...day, counters, missing };
}

/**
 * Sums up the stored repositories of an organization in the place of its counters of a day.
 * @param sum gives the sums; default: with repositories that are being read.
 */
async function withSums(
  connection: Connection,
  accountId: string,
  visibility: Visibility,
  day: CountersOfDay,
  sum = sumOrganization,
): Promise<CountersOfDay> {
  const { counters, missing, listedAt } = await sum(connection, accountId, visibility);
  if (listedAt !== null) return { ...day, counters, missing };
  // Only single repositories were read, or the counters were imported.
  return { ...day, counters: eachCounter((name) => Math.max(counters[name] ?? 0, day.counters[name] ?? 0)) };
}

type Sums = Pick<OwnedTotals, 'counters' | 'listedAt'> & { missing: CounterName[] };

/** Sums up the totals of an organization's repositories. Reads the same rows, however many repositories there are. */
export async function sumTotals(connection: Connection, accountId: string, visibility: Visibility): Promise<Sums> {
  const { counters, listedAt, uncollected } = await sumOverOwned(connection, accountId, visibility);
  return { counters, listedAt, missing: missingCounters(uncollected) };
}

/** Sums up the stored repositories of an organization, also those whose history is being read. */
async function sumOrganization(connection: Connection, accountId: string, visibility: Visibility): Promise<Sums> {
  const { counters, listedAt, missing } = await sumTotals(connection, accountId, visibility);
  if (!missing.includes('commits')) return { counters, listedAt, missing };
  const { commits, repositories } = await countUncounted(connection, accountId, visibility);
  const all = {
    ...counters,
    commits: (counters.commits ?? 0) + commits,
    contributed_to: (counters.contributed_to ?? 0) + repositories,
  };
  return { counters: all, listedAt, missing };
}

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
