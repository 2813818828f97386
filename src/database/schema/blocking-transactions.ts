import { sql } from 'kysely';
import type { Connection } from '../connections/connection.ts';

/** The length at which statements are cut. */
const maxStatementLength = 80;

/** A transaction that waits for no lock itself, and for which others wait. */
export interface BlockingTransaction {
  /** The number of its session, for `pg_terminate_backend`. */
  pid: number;
  application: string;
  begunAt: Date;
  /** `active`, `idle in transaction`, …; unknown where this role may not see it. */
  state: string;
  /** The table of the lock, or the kind of the lock. */
  lock: string;
  waiting: number;
  /** The longest of the waits, in seconds. */
  waitS: number;
  /** The beginning of the statement that waits longest. */
  waitingStatement: string;
}

/** Finds transactions for whose locks others wait, the longest wait first. */
export async function findBlockingTransactions(connection: Connection, limit: number): Promise<BlockingTransaction[]> {
  const { rows } = await sql<BlockingTransaction>`
    with waits as (
      select waiter.pid, waiter.query, held.pid as holder,
        extract(epoch from clock_timestamp() - coalesce(lock.waitstart, waiter.query_start))::float8 as seconds,
        -- A wait for a row is one for its transaction, and the waiter holds the lock of the row's place.
        coalesce(lock.relation::regclass::text,
          (select relation::regclass::text from pg_locks
           where pid = waiter.pid and locktype = 'tuple' and granted limit 1), lock.locktype) as lock
      from pg_stat_activity waiter
      join pg_locks lock on lock.pid = waiter.pid and not lock.granted
      cross join unnest(pg_blocking_pids(waiter.pid)) as held (pid)
      where waiter.datname = current_database()
    )
    select holder.pid, holder.application_name as application, coalesce(holder.state, 'unknown') as state,
      coalesce(holder.xact_start, holder.backend_start, now()) as "begunAt",
      (array_agg(waits.lock order by waits.seconds desc))[1] as lock,
      count(distinct waits.pid)::int as waiting, max(waits.seconds) as "waitS",
      (array_agg(left(waits.query, ${maxStatementLength}) order by waits.seconds desc))[1] as "waitingStatement"
    from waits join pg_stat_activity holder on holder.pid = waits.holder
    where holder.pid not in (select pid from waits)
    group by 1, 2, 3, 4 order by max(waits.seconds) desc limit ${limit}`.execute(connection);
  return rows;
}
