import type { RouteServices } from '../accounts/resolve.ts';
import type { Account } from '../accounts/store.ts';
import { type PageStart, type Place, staleCursor } from '../http/pagination.ts';
import { type CountersOfDay, findHistory } from './counter-store.ts';
import { counterNames, unknownCounters } from './counters.ts';
import { isSame, withPrivate } from './private-counters.ts';

/**
 * Finds a page of the history, newest day first. On the first page, the newest day includes the private contributions
 * that are stored now.
 */
export async function findDays(
  { connection }: Pick<RouteServices, 'connection'>,
  account: Account,
  { limit, start, includesPrivate }: { limit: number; start: PageStart; includesPrivate: boolean },
): Promise<CountersOfDay[]> {
  const page = {
    limit,
    after: start.after && dayOfCursor('after', start.after, account),
    before: start.before && dayOfCursor('before', start.before, account),
  };
  const isFirstPage = page.after === undefined && page.before === undefined;
  const found = await findHistory(connection, account.id, page);
  const days = (found.length === 0 && isFirstPage ? [neverCounted(account)] : found).map((day, index) =>
    index === 0 && isFirstPage && account.totalsWantedAt !== null ? { ...day, missing: [...counterNames] } : day,
  );
  if (!includesPrivate) return days;
  const all = await findHistory(connection, account.id, { ...page, withPrivate: true });
  const [newest] = days;
  if (!isFirstPage || newest === undefined) return all;
  const now = await withPrivate(connection, account, newest);
  // When nothing private is known any more, earlier days with private contributions are not shown either.
  return isSame(now, newest) ? [now, ...days.slice(1)] : [now, ...all.slice(1)];
}

function dayOfCursor(parameter: string, [accountId, day]: Place, account: Account): string {
  if (accountId !== account.id || typeof day !== 'string') throw staleCursor(parameter);
  return day;
}

function neverCounted(account: Account): CountersOfDay {
  const day = dayOf(account.createdAt);
  return { day, counters: unknownCounters, missing: [...counterNames], updatedAt: account.updatedAt };
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
