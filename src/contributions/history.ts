import type { RouteServices } from '../accounts/resolve.ts';
import type { Connection } from '../database/connections/connection.ts';
import type { ResolvedAccount } from '../http/pipeline/endpoint.ts';
import { type PageStart, type Place, staleCursor } from '../http/pipeline/pagination.ts';
import type { Account } from '../model/account.ts';
import { counterNames, unknownCounters } from '../model/counters.ts';
import { isSame, withPrivate, withStored } from './present-counters.ts';
import { type CountersOfDay, findHistory } from './totals/counter-store.ts';
import { areTotalsWanted } from './totals/wanted-totals-store.ts';

/**
 * Finds a page of the history, newest day first. On the first page, the newest day has the sums of stored data in the place of
 * incomplete counters, and includes the private contributions that are stored now.
 */
export async function findDays(
  { connection }: Pick<RouteServices, 'connection'>,
  { account, provider }: Pick<ResolvedAccount, 'account' | 'provider'>,
  { limit, start, includesPrivate }: { limit: number; start: PageStart; includesPrivate: boolean },
): Promise<CountersOfDay[]> {
  const page = {
    limit,
    after: start.after && dayOfCursor('after', start.after, account),
    before: start.before && dayOfCursor('before', start.before, account),
  };
  const isFirstPage = page.after === undefined && page.before === undefined;
  const found = await findHistory(connection, account.id, page);
  const days = isFirstPage
    ? [await findPresent(connection, { account, provider }, found[0]), ...found.slice(1)]
    : found;
  if (!includesPrivate) return days;
  const all = await findHistory(connection, account.id, { ...page, withPrivate: true });
  const [newest] = days;
  if (!isFirstPage || newest === undefined) return all;
  const now = await withPrivate(connection, account, newest);
  // When nothing private is known any more, earlier days with private contributions are not shown either.
  return isSame(now, newest) ? [now, ...days.slice(1)] : [now, ...all.slice(1)];
}

/** Returns the newest day with the numbers that are stored now. After a change of visibility nothing of it is known to be complete. */
async function findPresent(
  connection: Connection,
  { account, provider }: Pick<ResolvedAccount, 'account' | 'provider'>,
  newest = neverCounted(account),
): Promise<CountersOfDay> {
  const day = await withStored(connection, { account, provider }, newest);
  return (await areTotalsWanted(connection, account)) ? { ...day, missing: [...counterNames] } : day;
}

function dayOfCursor(parameter: string, [accountId, day]: Place, account: Account): string {
  if (accountId !== account.id || typeof day !== 'string') throw staleCursor(parameter);
  return day;
}

function neverCounted(account: Account): CountersOfDay {
  const day = formatDay(account.createdAt);
  return { day, counters: unknownCounters, missing: [...counterNames], updatedAt: account.updatedAt };
}

function formatDay(time: Date): string {
  return time.toISOString().slice(0, 10);
}
