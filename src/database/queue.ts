import { EventEmitter } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Logger, parseCronItems, type Runner, run, type WorkerEvents } from 'graphile-worker';
import { sql } from 'kysely';
import type { Connection, Database } from './connection.ts';
import { livingNodes } from './listener.ts';

/** Somebody waits for interactive work; background work waits for it. Each has workers of its own. */
export type Urgency = 'interactive' | 'background';

/** How many jobs of each kind one node runs at once. */
const concurrency: Record<Urgency, number> = { interactive: 16, background: 6 };
/** How long a job that is running may go on when the service stops, before it hands the rest back. */
const finishingTimeMs = 1000;
const pollIntervalMs = 2000;
const sweepIntervalMs = 15_000;
const restartDelayMs = 1000;
/** Longer messages of errors are cut. */
const maxErrorLength = 2000;
/** For those who look why a job failed. */
const finishedKept = '7 days';
/** A worker that took a job and is not registered after this time died before it could be. */
const unregisteredGrace = '30 seconds';

/** Work to be done once, by any node, even if this one dies. */
export interface Job {
  task: string;
  payload: Record<string, string | boolean>;
  /** Jobs with the same key that have not started are one job. */
  key: string;
  /** Smaller goes first. */
  priority: number;
  runAt?: Date;
  /** Of jobs that become one, the first one's `runAt` counts: what goes on without end is looked at all the same. */
  keepsRunAt?: boolean;
}

export interface Task {
  urgency: Urgency;
  /** May run again after a crash or failure: must not mind. */
  run(payload: unknown, signal: AbortSignal): Promise<void>;
  /** How often to try before giving up. */
  maxAttempts: number;
  /** Also run by the clock: a crontab time (UTC). */
  schedule?: string;
}

export interface Queue {
  /** Waits for running jobs, a bounded time, then hands them back. */
  stop(): Promise<void>;
}

/** Adds a job as part of the surrounding transaction. */
export async function addJob(connection: Connection, job: Job): Promise<void> {
  await sql`
    select graphile_worker.add_job(
      ${job.task}::text, ${JSON.stringify(job.payload)}::json, job_key => ${job.key}::text,
      priority => ${job.priority}::integer, run_at => ${job.runAt ?? null}::timestamptz,
      job_key_mode => ${job.keepsRunAt ? 'preserve_run_at' : 'replace'})`.execute(connection);
}

/** Jobs of one task that failed and are not done yet. */
export interface FailingJobs {
  task: string;
  count: number;
  /** Number of them that are not tried again. */
  givenUp: number;
  /** The most attempts of one of them. */
  attempts: number;
  /** The job among them that failed last, and why. It may hold private names. */
  example: { key: string | null; error: string };
  lastAt: Date;
}

/** Finds jobs that failed, by task, those that failed last first. Those that another of their key replaced have no error. */
export async function findFailingJobs(connection: Connection, limit: number): Promise<FailingJobs[]> {
  const { rows } = await sql<FailingJobs>`
    select task_identifier as task, count(*) as count, count(*) filter (where attempts >= max_attempts) as "givenUp",
      max(attempts) as attempts, max(updated_at) as "lastAt",
      (array_agg(json_build_object('key', key, 'error', left(last_error, ${maxErrorLength})) order by updated_at desc))[1] as example
    from graphile_worker.jobs where attempts > 0 and last_error is not null
    group by task_identifier order by max(updated_at) desc limit ${limit}`.execute(connection);
  return rows;
}

/** Lets jobs that were put off run at once. */
export async function runNow(connection: Connection, tasks: readonly string[], now: Date): Promise<void> {
  await sql`
    select graphile_worker.reschedule_jobs(
      array(
        select id from graphile_worker.jobs
        where task_identifier = any(${[...tasks]}::text[]) and run_at > ${now} and locked_at is null),
      run_at => ${now})`.execute(connection);
}

/** Starts this node's workers. */
export async function startQueue(options: {
  database: Database;
  node: number;
  tasks: Record<string, Task>;
  log: (level: 'error' | 'warning' | 'info' | 'debug', line: string) => void;
}): Promise<Queue> {
  const { database, node } = options;
  const running: Running = { pools: new Set(), jobs: new Set() };
  const sweep = async (): Promise<void> => {
    await releaseJobsOfDeadNodes(database.connection);
    await releaseLostJobs(database.connection, running);
    await removeFinishedJobs(database.connection);
  };
  await sweep();
  const workers: Queue[] = [];
  for (const urgency of ['interactive', 'background'] as const) {
    workers.push(await keepWorking({ ...options, urgency, running }));
  }
  const sweeper = setInterval(() => {
    sweep().catch(() => options.log('warning', 'could not look for jobs of dead nodes'));
  }, sweepIntervalMs);
  return {
    stop: async () => {
      clearInterval(sweeper);
      await Promise.all(workers.map((one) => one.stop()));
      // Without a database others do it later: they see that this node is gone.
      await database.connection
        .deleteFrom('workers')
        .where('node', '=', node)
        .execute()
        .catch(() => {});
    },
  };
}

type WorkerOptions = Parameters<typeof startQueue>[0] & { urgency: Urgency; running: Running };

/** What this node does just now: in whose names jobs are locked here, and which of them are really run. */
interface Running {
  pools: Set<string>;
  jobs: Set<string>;
}

/** Workers, and the ids in whose names they lock jobs. */
interface Workers {
  runner: Runner;
  ids: ReadonlyMap<string, unknown>;
}

/** Workers that cannot tell the database how a job ended give up for good; others take their place. */
async function keepWorking(options: WorkerOptions): Promise<Queue> {
  const ending = new AbortController();
  let workers = await startRunner(options);
  const replace = async (): Promise<void> => {
    options.log('error', 'the workers lost the database and are started again');
    while (!ending.signal.aborted) {
      await wait(restartDelayMs, undefined, { signal: ending.signal }).catch(() => {});
      try {
        await releaseJobsOf(options.database.connection, [...workers.ids.keys()]);
        workers = await startRunner(options);
        return;
      } catch {
        // The database is still away.
      }
    }
  };
  const ended = (async (): Promise<void> => {
    for (;;) {
      await workers.runner.promise.catch(() => {});
      if (ending.signal.aborted) return;
      await replace();
      // Asked to end while the new ones were starting.
      if (ending.signal.aborted) await workers.runner.stop().catch(() => {});
    }
  })();
  return {
    stop: async () => {
      ending.abort();
      // Those that ended already refuse to be stopped.
      await workers.runner.stop().catch(() => {});
      await ended;
    },
  };
}

async function releaseJobsOf(connection: Connection, workerIds: readonly string[]): Promise<void> {
  await connection.transaction().execute(async (transaction) => {
    await sql`delete from workers where id = any(${workerIds})`.execute(transaction);
    await sql`select graphile_worker.force_unlock_workers(${workerIds}::text[])`.execute(transaction);
  });
}

async function startRunner(options: WorkerOptions): Promise<Workers> {
  const { database, node, urgency } = options;
  const tasks = Object.entries(options.tasks).filter(([, task]) => task.urgency === urgency);
  const registrations = new Map<string, Promise<unknown>>();
  const events: WorkerEvents = new EventEmitter();
  // Jobs are locked in the name of the pool, whichever of its workers runs them.
  events.on('pool:create', ({ workerPool }) => {
    const row = { id: workerPool.id, node };
    const registration = database.connection.insertInto('workers').values(row).execute();
    // Awaited before the pool's first job; until then a failure must not end the process.
    registration.catch(() => {});
    registrations.set(workerPool.id, registration);
    options.running.pools.add(workerPool.id);
  });
  const runner = await run({
    pgPool: database.pool,
    concurrency: concurrency[urgency],
    pollInterval: pollIntervalMs,
    preset: {
      worker: {
        gracefulShutdownAbortTimeout: finishingTimeMs,
        // Told one by one, the end of a job that cannot be told would end the process: nobody there awaits it.
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
    noHandleSignals: true,
    events,
    logger: new Logger(() => (level, message) => options.log(level === 'warning' ? 'warning' : level, message)),
    parsedCronItems: parseCronItems(
      tasks.flatMap(([name, task]) =>
        task.schedule === undefined ? [] : [{ task: name, match: task.schedule, options: { backfillPeriod: 0 } }],
      ),
    ),
    taskList: Object.fromEntries(
      tasks.map(([name, task]) => [
        name,
        async (payload, helpers) => {
          await registrations.get(helpers.job.locked_by ?? '');
          options.running.jobs.add(helpers.job.id);
          try {
            await task.run(payload, helpers.abortSignal);
          } finally {
            options.running.jobs.delete(helpers.job.id);
          }
        },
      ]),
    ),
  });
  return { runner, ids: registrations };
}

/** A job that was given out over a connection that broke is locked here, and nobody runs it. */
async function releaseLostJobs(connection: Connection, { pools, jobs }: Running): Promise<void> {
  await sql`
    update graphile_worker._private_jobs set locked_at = null, locked_by = null
    where locked_by = any(${[...pools]}::text[]) and id <> all(${[...jobs]}::bigint[])
      and locked_at < now() - ${sql.lit(unregisteredGrace)}::interval`.execute(connection);
}

/** A job that another of its key has replaced, or that failed for good, stays behind. */
async function removeFinishedJobs(connection: Connection): Promise<void> {
  await sql`
    delete from graphile_worker._private_jobs
    where attempts >= max_attempts and locked_at is null and updated_at < now() - ${sql.lit(finishedKept)}::interval`.execute(
    connection,
  );
}

/** A node that was killed keeps its jobs locked for hours, unless somebody who sees that it is gone takes them away. */
async function releaseJobsOfDeadNodes(connection: Connection): Promise<void> {
  await sql`
    with dead as (
      delete from workers where node not in (${livingNodes}) returning id
    ), orphaned as (
      select id from dead
      union
      select locked_by from graphile_worker.jobs
      where locked_at < now() - ${sql.lit(unregisteredGrace)}::interval
        and locked_by not in (select id from workers)
    )
    select graphile_worker.force_unlock_workers(array(select id from orphaned))
    where exists (select from orphaned)`.execute(connection);
}
