import { sql } from 'kysely';
import type { Connection } from '../connections/connection.ts';

/** The length at which messages of errors are cut. */
const maxErrorLength = 2000;

/** Jobs of one task that failed and are not done yet. */
export interface FailingJobs {
  task: string;
  count: number;
  /** The number of them that are not tried again. */
  givenUp: number;
  /** The most attempts of one of them. */
  attempts: number;
  /** The job among them that failed last, and its error, which may hold private names. */
  example: { key: string | null; error: string };
  lastAt: Date;
}

/**
 * Finds failed jobs by task, the last failure first. A job without a key is left out: another one replaced it while it
 * ran, so that its failure has no effect (graphile-worker, sql/000018.sql).
 */
export async function findFailingJobs(connection: Connection, limit: number): Promise<FailingJobs[]> {
  const { rows } = await sql<FailingJobs>`
    select task_identifier as task, count(*) as count, count(*) filter (where attempts >= max_attempts) as "givenUp",
      max(attempts) as attempts, max(updated_at) as "lastAt",
      (array_agg(json_build_object('key', key, 'error', left(last_error, ${maxErrorLength})) order by updated_at desc))[1] as example
    from graphile_worker.jobs where attempts > 0 and last_error is not null and key is not null
    group by task_identifier order by max(updated_at) desc limit ${limit}`.execute(connection);
  return rows;
}
