import { sql } from 'kysely';
import type { Connection } from '../connections/connection.ts';
import { repeatEvery } from './interval.ts';

/** Workers that check for jobs when they are nudged; a pool that has ended may throw. */
export interface Wakeable {
  nudge(count: number): void;
}

/** The most workers of one pool. */
const maxWorkers = 16;

/**
 * Wakes workers when delayed jobs became due: one query does what each idle worker would otherwise poll for.
 * @returns a function that stops it.
 */
export function wakeForDueJobs(
  connection: Connection,
  { everyMs, pools }: { everyMs: number; pools: () => Iterable<Wakeable> },
): () => void {
  return repeatEvery(everyMs, async () => {
    try {
      const count = await countDue(connection);
      if (count > 0) for (const pool of pools()) wake(pool, count);
    } catch {
      // The database is unavailable; the next check follows after `everyMs`.
    }
  });
}

function wake(pool: Wakeable, count: number): void {
  try {
    pool.nudge(count);
  } catch {
    // Its workers are ending.
  }
}

/** Counts jobs that no worker has taken yet, up to the number of workers. */
async function countDue(connection: Connection): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select from graphile_worker._private_jobs where is_available and run_at <= now()
      limit ${maxWorkers}) due`.execute(connection);
  return rows[0]?.count ?? 0;
}
