import { setImmediate as immediate } from 'node:timers/promises';
import { Logger, runTaskListOnce, type TaskList } from 'graphile-worker';
import type { Pool } from 'pg';
import type { Simulator } from '../../../simulators/github/simulator.ts';
import type { Service } from '../../../src/app/app.ts';
import type { Config } from '../../../src/app/config/config.ts';
import type { AppOptions } from '../../../src/app/core.ts';
import { openJobTasks } from '../../../src/app/jobs.ts';
import { beginWork } from '../../../src/sync/tasks.ts';
import { type AppServiceOptions, startAppService } from '../../e2e/installations/installed.ts';
import {
  type ServiceResponse,
  startTestService,
  type TestService,
  type TestServiceOptions,
} from '../../e2e/service.ts';
import { openWithoutWorkers } from '../http/stored-service.ts';

/** A web application on a simulated host. Its jobs run one after another when a test says so. */
export interface SteppedService extends TestService {
  /** Runs jobs until none is left, also those that a delay lets wait for more changes. Each request does so afterwards. */
  work(): Promise<void>;
  /** The same service, whose requests let no job run. */
  asIs: TestService;
  /** Requests a path, and again after the jobs that the request adds. */
  getAfterWork(path: string, init?: RequestInit): Promise<ServiceResponse>;
}

/** The longest delay, in s, of a job that waits for more changes. */
const longestDelayS = 15;
/** The limit of rounds of jobs that add each other, which no test reaches. */
const maxRounds = 50;
/** A request may need an account, and then a repository of it. */
const maxLookups = 2;
/** The keys of jobs that begin at a time of their own, by a regular expression. */
const timedJobs = '^(second start_owner_polls$|notify )';
const logger = new Logger(() => () => {});
/** Prepared statements of a pooler's sessions are not those of one connection. */
const preset = { worker: { preparedStatements: false } };

export interface SteppedOptions extends Omit<TestServiceOptions, 'start'> {
  /** Runs after each job, before the next one. */
  afterJob?: (name: string) => Promise<void>;
}

/** Starts the web application without workers. A request that lookups delay is repeated once their jobs have run. */
export async function startSteppedService(options: SteppedOptions): Promise<SteppedService> {
  const { afterJob } = options;
  let tasks: TaskList = {};
  let requests: Pool | undefined;
  const start = async (config: Config, appOptions: AppOptions): Promise<Service> => {
    const { service, core, registry } = await openWithoutWorkers(config, appOptions);
    await beginWork(core.sync);
    requests = core.requests.pool;
    const jobs = openJobTasks(config, core, { registry, log: appOptions.log });
    tasks = Object.fromEntries(
      Object.entries(jobs.tasks).map(([name, task]) => [
        name,
        async (payload, { abortSignal }) => {
          await task.run(payload, abortSignal ?? AbortSignal.timeout(60_000));
          await afterJob?.(name);
        },
      ]),
    );
    const close = (): Promise<void> => jobs.close().then(() => service.close());
    return { ...service, close };
  };
  const settings = { LOOKUP_BUDGET_MS: '100', ...options.settings };
  const service = await startTestService({ ...options, settings, start });
  const { pool } = service.database;
  const hasRequests = (): boolean => requests !== undefined && requests.idleCount < requests.totalCount;
  const runJobs = async (): Promise<void> => {
    // A request may still be adding a job in the background, for which its response did not wait.
    while (hasRequests()) await immediate();
    for (let round = 0; await makeDue(pool); round += 1) {
      if (round === maxRounds) throw new Error(`jobs add each other: ${(await findKeys(pool)).join()}`);
      const client = await pool.connect();
      try {
        await runTaskListOnce({ pgPool: pool, noHandleSignals: true, logger, preset }, tasks, client).promise;
      } finally {
        client.release();
      }
    }
  };
  let working = Promise.resolve();
  const work = (): Promise<void> => {
    working = working.then(runJobs, runJobs);
    return working;
  };
  const get: TestService['get'] = async (path, init) => {
    let response = await service.get(path, init);
    await work();
    for (let lookups = 0; response.status === 202 && lookups < maxLookups; lookups += 1) {
      response = await service.get(path, init);
      await work();
    }
    return response;
  };
  return {
    ...service,
    asIs: service,
    get,
    work,
    getAfterWork: async (path, init) => {
      await get(path, init);
      return get(path, init);
    },
    getComplete: async (path, init) => {
      for (let round = 0; round < maxRounds; round += 1) {
        const response = await get(path, init);
        if (response.status === 200 && response.body.meta_data.complete) return response;
      }
      throw new Error(`${path} is never complete`);
    },
  };
}

/** Starts a service that is the simulator's App, without workers: its jobs run when a test says so. */
export function startSteppedApp(simulator: Simulator, options: AppServiceOptions = {}): Promise<TestService> {
  return startAppService(simulator, { ...options, startService: startSteppedService });
}

const isLeft = `attempts < max_attempts and run_at <= now() + interval '${longestDelayS} seconds'
  and (run_at <= now() or coalesce(key, '') !~ '${timedJobs}')`;

/** Lets delayed jobs run now. @returns whether any job is left. */
async function makeDue(pool: Pool): Promise<boolean> {
  await pool.query(`update graphile_worker._private_jobs set run_at = now() where run_at > now() and ${isLeft}`);
  return (await findKeys(pool)).length > 0;
}

async function findKeys(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ job: string }>(
    `select coalesce(key, task_identifier) as job from graphile_worker.jobs where ${isLeft}`,
  );
  return rows.map(({ job }) => job);
}
