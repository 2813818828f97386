import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import type { DayRange } from '../providers/provider.ts';
import type { Counters } from './counters.ts';

/** Counters of a user in a range of days as the host reports them; absent ones are not known. */
export interface ReportedWindow {
  counters: Partial<Counters>;
  fetchedAt: Date;
}

/**
 * The most ranges of an account. More would fill the database, because visitors choose them; the oldest are deleted.
 */
const maxRanges = 100;

export async function findReportedWindow(
  connection: Connection,
  accountId: string,
  { first, last }: DayRange,
): Promise<ReportedWindow | undefined> {
  const { rows } = await sql<ReportedWindow>`
    select counters, fetched_at as "fetchedAt" from reported_windows
    where account_id = ${accountId}::uuid and first_day = ${first}::date and last_day = ${last}::date`.execute(
    connection,
  );
  return rows[0];
}

/** Stores the counters of a range, unless those fetched later are stored, or the account was erased meanwhile. */
export async function saveReportedWindow(
  connection: Connection,
  accountId: string,
  { first, last }: DayRange,
  { counters, fetchedAt }: ReportedWindow,
): Promise<void> {
  await sql`
    insert into reported_windows as w (account_id, first_day, last_day, counters, fetched_at)
    select id, ${first}::date, ${last}::date, ${JSON.stringify(counters)}::jsonb, ${fetchedAt}
    from accounts where id = ${accountId}::uuid
    on conflict (account_id, first_day, last_day) do update set
      counters = excluded.counters, fetched_at = excluded.fetched_at
    where w.fetched_at <= excluded.fetched_at`.execute(connection);
  await sql`
    delete from reported_windows where account_id = ${accountId}::uuid and (first_day, last_day) in (
      select first_day, last_day from reported_windows where account_id = ${accountId}::uuid
      order by fetched_at desc, first_day, last_day offset ${maxRanges})`.execute(connection);
}
