import { sql } from 'kysely';
import type { Connection } from '../connections/connection.ts';

/** Work to be done once, by any node, even if this one dies. */
export interface Job {
  task: string;
  payload: Record<string, string | boolean>;
  /** Jobs with the same key that have not started are one job. */
  key: string;
  /** Jobs with a smaller number run first. */
  priority: number;
  runAt?: Date;
  /** The delay in ms by the clock of the database, in place of `runAt`. */
  delayMs?: number;
  /**
   * When jobs become one, the first one's `runAt` counts, so that an endless series of changes does not delay it for
   * ever.
   */
  keepsRunAt?: boolean;
}

/** The jobs that open transactions are going to add. */
const added = new WeakMap<Connection, Job[]>();

/**
 * Adds a job as part of the surrounding transaction, which stores it before it commits. All other transactions with the same
 * job wait for one that has stored it.
 */
export async function addJob(connection: Connection, job: Job): Promise<void> {
  const jobs = added.get(connection);
  if (jobs === undefined) await store(connection, job);
  else jobs.push(job);
}

/** Runs the work of a transaction, and then stores its jobs in the order of their keys, which all transactions share. */
export async function withJobsLast<Result>(
  transaction: Connection,
  work: (transaction: Connection) => Promise<Result>,
): Promise<Result> {
  const jobs: Job[] = [];
  added.set(transaction, jobs);
  const result = await work(transaction);
  added.delete(transaction);
  for (const job of jobs.toSorted(byKey)) await store(transaction, job);
  return result;
}

/** Returns a function that takes back the jobs that a transaction adds from now on. */
export function markJobs(transaction: Connection): () => void {
  const jobs = added.get(transaction) ?? [];
  const { length } = jobs;
  return () => {
    jobs.length = length;
  };
}

function byKey({ key }: Job, { key: other }: Job): number {
  if (key === other) return 0;
  return key < other ? -1 : 1;
}

async function store(connection: Connection, job: Job): Promise<void> {
  await sql`
    select graphile_worker.add_job(
      ${job.task}::text, ${JSON.stringify(job.payload)}::json, job_key => ${job.key}::text,
      priority => ${job.priority}::integer,
      run_at => coalesce(now() + ${job.delayMs ?? null}::float8 * interval '1 ms', ${job.runAt ?? null}::timestamptz),
      job_key_mode => ${job.keepsRunAt ? 'preserve_run_at' : 'replace'})`.execute(connection);
}
