import { type RawBuilder, sql } from 'kysely';
import type { Connection } from './connection.ts';

/**
 * The largest difference of two clocks that are right, as an interval. Times up to it may come from another node or
 * from a host.
 */
const tolerance = sql.lit('5 minutes');
/**
 * A stored time in the future stands for an unknown one before now. It is replaced by a time a day ago, so that the data
 * is fetched again: changes since then may be missing.
 */
const age = sql.lit('1 day');
/** The longest wait, as an interval, that the service stores in the columns of `due`. */
const longestWait = sql.lit('1 day');

/** Columns with the time of something that has happened. */
const happened: Readonly<Record<string, readonly string[]>> = {
  accounts: ['fetched_at', 'listed_at', 'listing_started_at', 'checked_at', 'named_at'],
  repositories: ['listed_at', 'collected_at', 'named_at'],
  streams: [
    'known_until',
    'completed_at',
    'full_scan_at',
    'scan_started_at',
    'invalidated_at',
    'full_scan_wanted_at',
    'failed_at',
  ],
  reported_totals: ['fetched_at'],
  calendars: ['fetched_at'],
  reported_windows: ['fetched_at'],
  delivery_checks: ['checked_until'],
};

/** Columns with the time of something that is due. */
const due: Readonly<Record<string, readonly string[]>> = {
  lookups: ['retry_at'],
  owner_polls: ['next_at'],
  repository_polls: ['next_at'],
  notifications: ['next_attempt_at'],
  deliveries: ['retry_at'],
  failing_receivers: ['resumes_at'],
};

/**
 * Corrects stored times that lie in the future, because a clock was ahead when they were stored. Otherwise nothing
 * would be fetched again before they are reached.
 * @param now the present time; a stored time is in the future when it is also after the database's own clock.
 */
export async function correctFutureTimes(connection: Connection, now: Date): Promise<void> {
  const present = sql`greatest(${now}::timestamptz, clock_timestamp())`;
  for (const [table, columns] of Object.entries(happened)) {
    await lower(connection, {
      table,
      columns,
      above: sql`${present} + ${tolerance}::interval`,
      to: sql`${present} - ${age}::interval`,
    });
  }
  for (const [table, columns] of Object.entries(due)) {
    await lower(connection, { table, columns, above: sql`${present} + ${longestWait}::interval`, to: present });
  }
  await moveFutureCounters(connection, present);
  await correctFutureJobs(connection);
}

interface Lowering {
  table: string;
  columns: readonly string[];
  above: RawBuilder<unknown>;
  to: RawBuilder<unknown>;
}

async function lower(connection: Connection, { table, columns, above, to }: Lowering): Promise<void> {
  const values = columns.map(
    (column) => sql`${sql.id(column)} = case when ${sql.id(column)} > ${above} then ${to} else ${sql.id(column)} end`,
  );
  const conditions = columns.map((column) => sql`${sql.id(column)} > ${above}`);
  await sql`update ${sql.table(table)} set ${sql.join(values)} where ${sql.join(conditions, sql` or `)}`.execute(
    connection,
  );
}

/** Moves the newest counters of future days to the present day, and removes the older ones and those of that day. */
async function moveFutureCounters(connection: Connection, present: RawBuilder<unknown>): Promise<void> {
  const today = sql`(${present} at time zone 'UTC')::date`;
  await sql`delete from counters c using counters newer
    where c.day > ${today} + 1 and newer.account_id = c.account_id and newer.includes_private = c.includes_private
      and newer.day > c.day`.execute(connection);
  await sql`delete from counters c using counters newer
    where c.day = ${today} and newer.account_id = c.account_id and newer.includes_private = c.includes_private
      and newer.day > ${today} + 1`.execute(connection);
  await sql`update counters set day = ${today} where day > ${today} + 1`.execute(connection);
}

/**
 * Lets jobs that were added or failed in the future run after the delay that they had then, and schedules run again.
 * Here the database's clock alone counts, because the job queue has no other.
 */
export async function correctFutureJobs(connection: Connection): Promise<void> {
  await sql`
    update graphile_worker._private_jobs
    set run_at = now() + greatest(least(run_at - updated_at, ${longestWait}::interval), interval '0'), updated_at = now()
    where updated_at > now() + ${tolerance}::interval and locked_at is null`.execute(connection);
  await sql`
    update graphile_worker._private_jobs set run_at = now()
    where run_at > now() + ${longestWait}::interval and locked_at is null`.execute(connection);
  await correctFutureSchedules(connection);
}

/** Lets schedules run again whose last run lies in the future. Workers that start read these times once. */
export async function correctFutureSchedules(connection: Connection): Promise<void> {
  await sql`
    update graphile_worker._private_known_crontabs set last_execution = now()
    where last_execution > now() + ${tolerance}::interval`.execute(connection);
}
