import { sql } from 'kysely';
import type { Connection } from '../connections/connection.ts';

/** The states of jobs: waiting for a worker, running, waiting for their time, and failed for good. */
export const jobStates = ['due', 'running', 'delayed', 'given_up'] as const;

/** The jobs of one task, of all nodes. */
export interface JobCounts extends Record<(typeof jobStates)[number], number> {
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
