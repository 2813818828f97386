import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../connections/connection.ts';

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

/** The columns in whose order the rows of each table are locked. */
const keys: Readonly<Record<string, readonly string[]>> = {
  accounts: ['id'],
  repositories: ['id'],
  streams: ['repository_id', 'name'],
  reported_totals: ['account_id', 'credential_name'],
  calendars: ['account_id'],
  reported_windows: ['account_id', 'first_day', 'last_day'],
  delivery_checks: ['provider'],
  lookups: ['key'],
  owner_polls: ['account_id'],
  repository_polls: ['repository_id'],
  notifications: ['id'],
  deliveries: ['provider', 'id'],
  failing_receivers: ['receiver'],
};

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
    'failing_since',
  ],
  reported_totals: ['fetched_at'],
  calendars: ['fetched_at'],
  reported_windows: ['fetched_at'],
  delivery_checks: ['checked_until'],
  lookups: ['failing_since'],
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

/** The most blocks of a table, of 8 kB, that one statement reads. */
const blocksAtOnce = 1000;

/**
 * Corrects stored times that lie in the future, because a clock was ahead when they were stored. Otherwise nothing
 * would be fetched again before they are reached. Reads nothing when no such time can be stored; else it reads the tables
 * part by part, and a stop leaves the correction to the next start.
 * @param now the present time; a stored time is in the future when it is also after the database's own clock.
 */
export async function correctFutureTimes(connection: Connection, now: Date): Promise<void> {
  const present = sql`greatest(${now}::timestamptz, clock_timestamp())`;
  if (!(await mayBeInFuture(connection, present))) return;
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
  await sql`update latest_time set until = ${present} where until > ${present}`.execute(connection);
}

/** Returns whether times may be stored that are later than the present; see `clock.ts`. */
async function mayBeInFuture(connection: Connection, present: RawBuilder<unknown>): Promise<boolean> {
  const { rows } = await sql`
    select from latest_time where until > ${present} + ${tolerance}::interval`.execute(connection);
  return rows.length > 0;
}

/** Has the next start read all tables, because rows were stored that have their times from elsewhere. */
export async function distrustStoredTimes(connection: Connection): Promise<void> {
  await sql`update latest_time set until = 'infinity'`.execute(connection);
}

/** Does work on each part of a table. @param work gets SQL that is true for the rows `c` of the part. */
async function inParts(
  connection: Connection,
  table: string,
  work: (isInPart: RawBuilder<boolean>) => Promise<unknown>,
): Promise<void> {
  const { rows } = await sql<{ blocks: number }>`
    select pg_relation_size(${table}::regclass) / current_setting('block_size')::integer as blocks`.execute(connection);
  const blocks = rows[0]?.blocks ?? 0;
  for (let from = 0; from < blocks; from += blocksAtOnce) {
    const [first, end] = [`(${from},0)`, `(${from + blocksAtOnce},0)`];
    await work(sql<boolean>`c.ctid >= ${first}::tid and c.ctid < ${end}::tid`);
  }
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
  const key = sql.join((keys[table] ?? []).map((column) => sql.ref(`c.${column}`)));
  await inParts(connection, table, (isInPart) =>
    sql`
      update ${sql.table(table)} set ${sql.join(values)} where ctid = any(array(
        select c.ctid from ${sql.table(table)} c where ${isInPart} and (${sql.join(conditions, sql` or `)})
        order by ${key} for no key update))`.execute(connection),
  );
}

/** Moves the newest counters of future days to the present day, and removes the older ones and those of that day. */
async function moveFutureCounters(connection: Connection, present: RawBuilder<unknown>): Promise<void> {
  const today = sql`(${present} at time zone 'UTC')::date`;
  const isOfSame = sql`newer.account_id = c.account_id and newer.includes_private = c.includes_private`;
  const statements = [
    sql`delete from counters c using counters newer
      where c.day > ${today} + 1 and ${isOfSame} and newer.day > c.day`,
    sql`delete from counters c using counters newer where c.day = ${today} and ${isOfSame} and newer.day > ${today} + 1`,
    sql`update counters c set day = ${today} where c.day > ${today} + 1`,
  ];
  for (const statement of statements) {
    await inParts(connection, 'counters', (isInPart) => sql`${statement} and ${isInPart}`.execute(connection));
  }
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
