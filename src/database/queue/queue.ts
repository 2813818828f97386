import { EventEmitter } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type CronItemOptions,
  Logger,
  parseCronItems,
  type Runner,
  run,
  type WorkerEvents,
  type WorkerPool,
} from 'graphile-worker';
import { sql } from 'kysely';
import { inJobSpan } from '../../model/tracing/spans.ts';
import { watchForSteps } from '../connections/clock.ts';
import type { Connection, Database } from '../connections/connection.ts';
import { isPooled } from '../connections/sessions.ts';
import { inOneTransaction } from '../connections/transaction.ts';
import { isDatabaseUnavailable, isDiskFull } from '../connections/unavailable.ts';
import { correctFutureJobs, correctFutureSchedules } from '../schema/future-store.ts';
import { repeatEvery } from './interval.ts';
import { livingNodes, type Notifications, poolOfJobs } from './listener.ts';

/** The end of a run of a job. `returned`: the service stopped or the database was away, and the job runs again. */
type JobOutcome = 'done' | 'failed' | 'returned';

/** Receives the end of each run of a job on this node. */
export type OnJobEnd = (task: string, outcome: JobOutcome, seconds: number) => void;

/** The time for which failed and replaced jobs stay, so that operators can find out why one failed. */
const endedKept = '7 days';
/**
 * The time within which a pool that took a job registers, and the job starts. A job that is locked longer, without its pool
 * being registered or without running, is lost.
 */
const startGrace = '30 seconds';

/** The worker pools of this node, in whose names jobs are locked, and the jobs that are running. */
interface Running {
  pools: Map<string, WorkerPool>;
  jobs: Set<string>;
}

/** Workers that check for jobs when they are nudged; a pool that has ended may throw. */
interface Wakeable {
  nudge(count: number): void;
}

/** The most workers of one pool. */
const maxWorkers = 16;

/** Interactive jobs have a waiting caller; background jobs must not delay them. Each kind has workers of its own. */
type Urgency = 'interactive' | 'background';

/** The number of jobs of each kind that one node runs at once. */
const concurrency: Record<Urgency, number> = { interactive: 16, background: 6 };
/** The time that running jobs may go on when the service stops, in ms; then they hand the rest back. */
const finishingTimeMs = 1000;
/**
 * The time after which workers that are ending are left alone, in ms. Once the end of a job could not be stored,
 * graphile-worker may wait for ever: it counts the batch of that job as done several times (`batch` in its main.ts).
 */
const longestEndMs = 3000;
const pollIntervalMs = 2000;
/** The interval at which each idle worker looks for jobs by itself, though it is woken for new and for due ones. */
const workerPollMs = 60_000;
const sweepIntervalMs = 15_000;
const restartDelayMs = 1000;
const clockWatchMs = 1000;

export interface Task {
  urgency: Urgency;
  /**
   * Runs the job. It may run again after a crash or a failure, so running it twice must be harmless. The queue tries a
   * failing job 25 times within four days.
   */
  run(payload: unknown, signal: AbortSignal): Promise<void>;
  /** A crontab time (UTC) at which the task runs too. */
  schedule?: string;
}

export interface Queue {
  /** Waits a bounded time for running jobs, then hands them back. */
  stop(): Promise<void>;
}

/**
 * Makes delayed jobs run at once, except those with the given keys. Jobs that another session is changing are left out,
 * because two sessions that change several jobs in different orders would deadlock.
 */
export async function runNow(
  connection: Connection,
  tasks: readonly string[],
  now: Date,
  exceptKeys: readonly string[] = [],
): Promise<void> {
  await sql`
    select graphile_worker.reschedule_jobs(
      array(
        select j.id from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
        where t.identifier = any(${[...tasks]}::text[]) and run_at > ${now} and locked_at is null
          and coalesce(key, '') <> all(${[...exceptKeys]}::text[])
        for update of j skip locked),
      run_at => ${now})`.execute(connection);
}

/** Starts this node's workers. */
export async function startQueue(options: {
  database: Database;
  node: number;
  /** Receives what the node's session listens to; by default the job runner keeps connections of the pool that listen. */
  notifications?: Notifications;
  /** The interval, in ms, at which delayed jobs that became due are found; other jobs are announced. */
  pollMs?: number | undefined;
  /** The interval, in ms, at which jobs are released that no living node runs. */
  sweepMs?: number;
  /** The time, in ms, after which workers that are ending are left alone and replaced. */
  endingTimeMs?: number;
  /** Releases, in the same interval, other claims that this node holds but does not use. */
  alsoSweep?: () => Promise<void>;
  tasks: Record<string, Task>;
  /** Returns whether this machine's clock was set since the last call. */
  wasClockSet?: () => boolean;
  onEnd?: OnJobEnd;
  /** Receives messages, of which those that are no errors are of use only for debugging. */
  log: (level: 'error' | 'warning' | 'info' | 'debug', line: string) => void;
}): Promise<Queue> {
  const { database, node, wasClockSet = watchForSteps() } = options;
  const running: Running = { pools: new Map(), jobs: new Set() };
  const sweep = async (): Promise<void> => {
    await sweepJobs(database.connection, running, node);
    await options.alsoSweep?.();
  };
  await sweep();
  await correctFutureSchedules(database.connection);
  const workers: Workforce[] = [];
  for (const urgency of ['interactive', 'background'] as const) {
    workers.push(await keepWorking({ ...options, urgency, running }));
  }
  const stopWaking = wakeForDueJobs(database.connection, {
    everyMs: options.pollMs ?? pollIntervalMs,
    pools: () => running.pools.values(),
  });
  const stopSweeping = repeatEvery(options.sweepMs ?? sweepIntervalMs, () =>
    sweep().catch(() => options.log('warning', 'could not look for jobs of dead nodes')),
  );
  // Schedules wait for a time by this machine's clock, which may be days away after the clock was set.
  const clockWatch = setInterval(() => {
    if (wasClockSet()) void Promise.all(workers.map((worker) => worker.restart()));
  }, clockWatchMs);
  return {
    stop: async () => {
      stopSweeping();
      stopWaking();
      clearInterval(clockWatch);
      await Promise.all(workers.map((worker) => worker.stop()));
      // While the database is unavailable this fails; other nodes do it later, when they see that this node has ended.
      await database.connection
        .deleteFrom('workers')
        .where('node', '=', node)
        .execute()
        .catch(() => {});
    },
  };
}

/** The workers of one urgency. */
interface Workforce extends Queue {
  /** Stops the present workers, in place of which new ones are started. */
  restart(): Promise<void>;
}

type WorkerOptions = Parameters<typeof startQueue>[0] & { urgency: Urgency; running: Running };

/** Workers, and the ids in whose names they lock jobs. */
interface Workers {
  runner: Runner;
  /** Resolves when they have ended, or have had the time to end. */
  ended: Promise<void>;
  ids: ReadonlyMap<string, unknown>;
}

/**
 * Keeps workers running. Workers that cannot report the end of a job to the database end for good, and others replace
 * them.
 */
async function keepWorking(options: WorkerOptions): Promise<Workforce> {
  const ending = new AbortController();
  let workers = await startRunner(options);
  const replace = async (): Promise<void> => {
    options.log('error', 'the workers lost the database, or the clock was set, and they are started again');
    for (const id of workers.ids.keys()) options.running.pools.delete(id);
    while (!ending.signal.aborted) {
      await wait(restartDelayMs, undefined, { signal: ending.signal }).catch(() => {});
      try {
        await releaseJobs(options.database.connection, [...workers.ids.keys()]);
        await correctFutureJobs(options.database.connection);
        workers = await startRunner(options);
        return;
      } catch {
        // The database is still unavailable.
      }
    }
  };
  const ended = (async (): Promise<void> => {
    for (;;) {
      await workers.ended;
      if (ending.signal.aborted) return;
      // Their schedules end as well.
      workers.runner.stop().catch(() => {});
      await replace();
      // The queue was stopped while the new workers were starting.
      if (ending.signal.aborted) await stopWorkers(workers);
    }
  })();
  return {
    restart: () => stopWorkers(workers),
    stop: async () => {
      ending.abort();
      await stopWorkers(workers);
      await ended;
    },
  };
}

async function stopWorkers({ runner, ended }: Workers): Promise<void> {
  // A runner that ended already refuses to be stopped.
  runner.stop().catch(() => {});
  await ended;
}

async function releaseJobs(connection: Connection, workerIds: readonly string[]): Promise<void> {
  await inOneTransaction(connection, async (transaction) => {
    await sql`delete from workers where id = any(${workerIds})`.execute(transaction);
    await sql`select graphile_worker.force_unlock_workers(${workerIds}::text[])`.execute(transaction);
  });
}

async function startRunner(options: WorkerOptions): Promise<Workers> {
  const { database, node, urgency, notifications } = options;
  const tasks = Object.entries(options.tasks).filter(([, task]) => task.urgency === urgency);
  const registrations = new Map<string, Promise<unknown>>();
  const events: WorkerEvents = new EventEmitter();
  // Jobs are locked in the name of the pool, not of its worker that runs them.
  events.on('pool:create', ({ workerPool }) => {
    const row = { id: workerPool.id, node };
    const registration = database.connection
      .insertInto('workers')
      .values(row)
      .onConflict((on) => on.doNothing())
      .execute();
    // Awaited before the pool's first job; until then a failure must not end the process.
    registration.catch(() => {});
    registrations.set(workerPool.id, registration);
    options.running.pools.set(workerPool.id, workerPool);
  });
  const runner = await run({
    pgPool: notifications === undefined ? database.pool : poolOfJobs(database.pool, notifications),
    concurrency: concurrency[urgency],
    pollInterval: workerPollMs,
    preset: {
      worker: {
        gracefulShutdownAbortTimeout: finishingTimeMs,
        // A pooler may send the statements of one connection to several sessions, and a prepared statement exists in
        // one.
        preparedStatements: !isPooled(database),
        // Without batches, a failure to report the end of a job would be an unhandled rejection and end the process.
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
    noHandleSignals: true,
    events,
    logger: new Logger(() => (level, message) => options.log(level, message)),
    parsedCronItems: parseCronItems(
      tasks.flatMap(([name, task]) =>
        task.schedule === undefined ? [] : [{ task: name, match: task.schedule, options: scheduling(name) }],
      ),
    ),
    taskList: Object.fromEntries(
      tasks.map(([name, task]) => [
        name,
        async (payload, helpers) => {
          await registrations.get(helpers.job.locked_by ?? '');
          const { job, abortSignal: signal } = helpers;
          await runJob({ id: job.id, task: name, signal, run: () => task.run(payload, helpers.abortSignal) }, options);
        },
      ]),
    ),
  });
  return { runner, ended: awaitEnd(runner, events, options.endingTimeMs ?? longestEndMs), ids: registrations };
}

function awaitEnd(runner: Runner, events: WorkerEvents, endingTimeMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  runner.promise.then(resolve, () => resolve());
  events.once('pool:gracefulShutdown', () => setTimeout(resolve, endingTimeMs).unref());
  return promise;
}

/**
 * Returns the options of a schedule. Missed times are skipped: graphile-worker adds a job for each minute by which the
 * clock jumps forward (`runCron` in its cron.ts), and its key makes them one, which is due at the first of them.
 */
function scheduling(task: string): CronItemOptions {
  return { backfillPeriod: 0, jobKey: `schedule:${task}`, jobKeyMode: 'preserve_run_at' };
}

/**
 * Wakes workers when delayed jobs became due: one query does what each idle worker would otherwise poll for.
 * @returns a function that stops it.
 */
function wakeForDueJobs(
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

/** Releases jobs that no living node runs, and removes jobs that failed for good or were replaced 7 days ago. */
async function sweepJobs(connection: Connection, running: Running, node: number): Promise<void> {
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

/** Runs a job, which is among the running ones meanwhile, and reports its end. */
async function runJob(
  job: { id: string; task: string; signal: AbortSignal | undefined; run: () => Promise<void> },
  { running, onEnd }: { running: { jobs: Set<string> }; onEnd?: OnJobEnd | undefined },
): Promise<void> {
  const { id, task, signal, run } = job;
  const begunAt = performance.now();
  let outcome: JobOutcome = 'failed';
  running.jobs.add(id);
  try {
    await inJobSpan(`job ${task}`, { 'plaudit.job': task }, run);
    outcome = 'done';
  } catch (error) {
    const isAway = isDatabaseUnavailable(error) && !isDiskFull(error);
    if (signal?.aborted === true || isAway) outcome = 'returned';
    throw error;
  } finally {
    running.jobs.delete(id);
    onEnd?.(task, outcome, (performance.now() - begunAt) / 1000);
  }
}
