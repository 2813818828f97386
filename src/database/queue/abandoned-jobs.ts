import type { WorkerPool } from 'graphile-worker';
import { sql } from 'kysely';
import type { Connection } from '../connections/connection.ts';
import { livingNodes } from './listener.ts';

/** The time for which failed and replaced jobs stay, so that operators can find out why one failed. */
const endedKept = '7 days';
/**
 * The time within which a pool that took a job registers, and the job starts. A job that is locked longer, without its pool
 * being registered or without running, is lost.
 */
const startGrace = '30 seconds';

/** The worker pools of this node, in whose names jobs are locked, and the jobs that are running. */
export interface Running {
  pools: Map<string, WorkerPool>;
  jobs: Set<string>;
}

/** Releases jobs that no living node runs, and removes jobs that failed for good or were replaced 7 days ago. */
export async function sweepJobs(connection: Connection, running: Running, node: number): Promise<void> {
  await registerPools(connection, running, node);
  await releaseJobsOfDeadNodes(connection, node, running);
  await releaseLostJobs(connection, running);
  await removeEndedJobs(connection);
}

/** Releases jobs that are locked here but do not run: they were handed out over a connection that broke. */
async function releaseLostJobs(connection: Connection, { pools, jobs }: Running): Promise<void> {
  await sql`
    update graphile_worker._private_jobs set locked_at = null, locked_by = null
    where locked_by = any(${[...pools.keys()]}::text[]) and id <> all(${[...jobs]}::bigint[])
      and locked_at < now() - ${sql.lit(startGrace)}::interval`.execute(connection);
}

/** Removes jobs that failed for good, or that a job with the same key replaced, after `endedKept`. */
async function removeEndedJobs(connection: Connection): Promise<void> {
  await sql`
    delete from graphile_worker._private_jobs
    where attempts >= max_attempts and locked_at is null
      and updated_at < now() - ${sql.lit(endedKept)}::interval`.execute(connection);
}

/**
 * Registers the worker pools of this node again. Another node removes them while the connection is broken that shows
 * that this node lives; their jobs would be released at every sweep from then on.
 */
async function registerPools(connection: Connection, { pools }: Running, node: number): Promise<void> {
  await sql`
    insert into workers (id, node) select id, ${node} from unnest(${[...pools.keys()]}::text[]) as pool (id)
    on conflict do nothing`.execute(connection);
}

/**
 * Releases the jobs of nodes that were killed, which would otherwise stay locked for hours.
 * @param node this node, which lives, also while another one takes it for dead and removes its pools.
 */
export async function releaseJobsOfDeadNodes(
  connection: Connection,
  node: number,
  { pools }: Pick<Running, 'pools'>,
): Promise<void> {
  await sql`
    with dead as (
      delete from workers where node <> ${node} and node not in (${livingNodes}) returning id
    ), orphaned as (
      select id from dead
      union
      select locked_by from graphile_worker.jobs
      where locked_at < now() - ${sql.lit(startGrace)}::interval
        and locked_by not in (select id from workers) and locked_by <> all(${[...pools.keys()]}::text[])
    )
    select graphile_worker.force_unlock_workers(array(select id from orphaned))
    where exists (select from orphaned)`.execute(connection);
}
