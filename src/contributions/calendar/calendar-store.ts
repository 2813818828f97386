import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import type { ReportedCalendar } from '../../model/contribution.ts';

/** A user's calendar as the provider reported it. */
export interface StoredCalendar extends ReportedCalendar {
  fetchedAt: Date;
}

export async function findReportedCalendar(
  connection: Connection,
  accountId: string,
): Promise<StoredCalendar | undefined> {
  const row = await connection
    .selectFrom('calendars')
    .selectAll()
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return (
    row && {
      firstDay: row.first_day,
      counts: row.counts,
      total: row.total,
      includesPrivate: row.includes_private,
      fetchedAt: row.fetched_at,
    }
  );
}

/** Stores a calendar, unless one that was fetched later is stored, or the account was erased meanwhile. */
export async function saveReportedCalendar(
  connection: Connection,
  accountId: string,
  { firstDay, counts, total, includesPrivate, fetchedAt }: StoredCalendar,
): Promise<void> {
  await sql`
    insert into calendars as c (account_id, first_day, counts, total, includes_private, fetched_at)
    select id, ${firstDay}::date, ${[...counts]}::integer[], ${total}, ${includesPrivate}, ${fetchedAt}
    from accounts where id = ${accountId}
    on conflict (account_id) do update set
      first_day = excluded.first_day, counts = excluded.counts, total = excluded.total,
      includes_private = excluded.includes_private, fetched_at = excluded.fetched_at
    where c.fetched_at <= excluded.fetched_at`.execute(connection);
}

/** Removes a calendar that cannot be kept current any more. */
export async function removeReportedCalendar(connection: Connection, accountId: string): Promise<void> {
  await connection.deleteFrom('calendars').where('account_id', '=', accountId).execute();
}
