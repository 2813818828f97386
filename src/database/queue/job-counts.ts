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

/** The states of jobs: waiting for a worker, running, waiting for their time, and failed for good. */
export const jobStates = ['due', 'running', 'delayed', 'given_up'] as const;

/** The jobs of one task, of all nodes. */
interface JobCounts extends Record<(typeof jobStates)[number], number> {
  task: string;
  /** The time, in seconds, for which the oldest due job has waited for a worker; 0: none waits. */
  longestWaitS: number;
}

/** Counts the jobs of each task. A job that failed for good without a key was replaced by another one. */
export async function countJobs(connection: Connection): Promise<JobCounts[]> {
  const { rows } = await sql<JobCounts>`
    select t.identifier as task,
      count(*) filter (where j.is_available and j.run_at <= now()) as due,
      count(*) filter (where j.locked_at is not null) as running,
      count(*) filter (where j.is_available and j.run_at > now()) as delayed,
      count(*) filter (where j.attempts >= j.max_attempts and j.locked_at is null and j.key is not null) as given_up,
      coalesce(extract(epoch from now() - min(j.run_at) filter (where j.is_available and j.run_at <= now())), 0)::float8
        as "longestWaitS"
    from graphile_worker._private_tasks t left join graphile_worker._private_jobs j on j.task_id = t.id
    group by 1 order by 1`.execute(connection);
  return rows;
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
