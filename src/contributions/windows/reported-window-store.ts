import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import type { DayRange } from '../../hosts/interface/provider.ts';
import type { Counters } from '../../model/counters.ts';

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
    where account_id = ${accountId}::uuid and first_day = ${first}::date
      and last_day = ${last}::date`.execute(connection);
  return rows[0];
}

/** Finds the stored counters of several ranges, in the same order. */
export async function findReportedWindows(
  connection: Connection,
  accountId: string,
  ranges: readonly (DayRange | undefined)[],
): Promise<(ReportedWindow | undefined)[]> {
  const places = ranges.flatMap((range, place) => (range === undefined ? [] : [{ place, ...range }]));
  const { rows } = await sql<ReportedWindow & { place: number }>`
    select p.place, w.counters, w.fetched_at as "fetchedAt"
    from json_to_recordset(${JSON.stringify(places)}::json) as p (place integer, first date, last date)
    join reported_windows w on w.account_id = ${accountId}::uuid
      and w.first_day = p.first and w.last_day = p.last`.execute(connection);
  const found = new Map(rows.map(({ place, ...reported }) => [place, reported]));
  return ranges.map((_, place) => found.get(place));
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
