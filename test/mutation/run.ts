import { sql } from 'kysely';
import { lookUpJob, refreshJob } from '../../src/accounts/jobs.ts';
import { findByName } from '../../src/accounts/store.ts';
import { changeNeeds } from '../../src/contributions/items/detail-store.ts';
import { collectJob, fetchReportedTotalsJob } from '../../src/contributions/items/jobs.ts';
import { inTransaction } from '../../src/database/connections/transaction.ts';
import { addJob, type Job } from '../../src/database/queue/added-jobs.ts';
import { historyStream } from '../../src/hosts/interface/streams.ts';
import { AppError } from '../../src/model/errors.ts';
import { newCost, type SyncContext } from '../../src/sync/context.ts';
import { install } from '../../src/sync/installations/operator.ts';
import { pollJob } from '../../src/sync/listings/poll-repository.ts';
import { findStreams, wantFullScan } from '../../src/sync/streams/stream-store.ts';
import { createTasks } from '../../src/sync/tasks.ts';
import { summarizeStack } from './faults.ts';
import type { MutationDatabase } from './mutation-database.ts';
import type { ObservedHost } from './observed-host.ts';
import { type Row, type Snapshot, takeSnapshot } from './snapshot.ts';
import { beginning, type Progress, reconcileJob, type Stage, type Step, toId } from './steps.ts';

export type { Progress, Stage } from './steps.ts';

/** The outcome of reading a world once. */
export interface Outcome extends Pick<Progress, 'requests' | 'jobs' | 'faults'> {
  snapshot: Snapshot;
}

/** The time limit ends runs that have no end alone: on a busy machine, a run of a second takes a minute. */
const limits = { jobs: 400, ms: 600_000 };
/** Far more requests than reading the world of the mutations takes. */
const defaultMaxRequests = 1500;
const laterS = 3 * 3600;
const installed = 'select id from repositories where installed_at is not null order by external_id';
const fetched = 'select id from accounts where fetched_at is not null order by external_id';

interface ReadOptions {
  maxRequests?: number;
  /** The place in an earlier run at which this one begins, with the data of that place in the database. */
  from?: Progress | undefined;
  /** Called before each step; returns the outcome of the run where it is known already, and ends the run. */
  onStep?: ((progress: Progress) => Promise<Outcome | undefined>) | undefined;
}

/** Reads everything that a service reads of the world, job after job, into a database. */
export async function readWorld(
  observed: ObservedHost,
  database: MutationDatabase,
  stage: Stage,
  options: ReadOptions = {},
): Promise<Outcome> {
  await using context = database.newContext();
  const run = new Run(observed, context, stage, options);
  const { onExchange } = observed;
  observed.onExchange = (exchange) => {
    run.countRequest();
    return onExchange(exchange);
  };
  try {
    const known = await run.read();
    if (known !== undefined) return known;
    const { requests, jobs, faults, logged } = run;
    const { rows, reasons } = await takeSnapshot(database.core.database.pool);
    return { snapshot: { rows, reasons: [...reasons, ...logged] }, requests, jobs, faults };
  } finally {
    observed.onExchange = onExchange;
  }
}

class Run {
  requests: number;
  jobs: number;
  readonly faults: string[];
  /** Failures of a host's responses that the service writes into its log. */
  readonly logged: Row[];
  #steps: readonly Step[];
  #taken: number;
  readonly #observed: ObservedHost;
  readonly #stage: Stage;
  readonly #maxRequests: number;
  readonly #onStep: ReadOptions['onStep'];
  readonly #context: SyncContext;
  readonly #tasks: ReturnType<typeof createTasks>;
  readonly #abortController = new AbortController();
  readonly #signal = AbortSignal.any([this.#abortController.signal, AbortSignal.timeout(limits.ms)]);
  /** Jobs without a time get that of the database, which is long after that of the world. */
  readonly #untimedSince = new Date(Date.now() - 86_400_000);

  constructor(
    observed: ObservedHost,
    context: SyncContext,
    stage: Stage,
    { maxRequests = defaultMaxRequests, from, onStep }: ReadOptions,
  ) {
    this.#observed = observed;
    this.#stage = stage;
    this.#maxRequests = maxRequests;
    this.#onStep = onStep;
    const { steps, requests, jobs, faults, logged, taken } = from ?? beginning(observed, stage);
    this.#steps = steps;
    this.requests = requests;
    this.jobs = jobs;
    this.faults = [...faults];
    this.logged = [...logged];
    this.#taken = taken;
    const ids = new Map<number, number>();
    this.#context = {
      ...context,
      // The ids of a step are the same in each run, so that local copies of histories are used again.
      newId: () => {
        ids.set(this.#taken, (ids.get(this.#taken) ?? 0) + 1);
        return toId(stage, this.#taken, ids.get(this.#taken) ?? 0);
      },
      onFailure: (error) => this.#record(error),
    };
    this.#tasks = createTasks(this.#context);
  }

  countRequest(): void {
    this.requests += 1;
    if (this.requests === this.#maxRequests) this.#stop(`more than ${this.#maxRequests} requests`);
  }

  /** Returns the outcome where it is known before the end. */
  async read(): Promise<Outcome | undefined> {
    const { advance } = this.#observed.world;
    const delayS = this.#stage === 'first' ? 0 : laterS;
    advance(delayS);
    try {
      for (;;) {
        const known = await this.#onStep?.(this.#progress());
        const [step, ...later] = this.#steps;
        if (known !== undefined || step === undefined) return known;
        this.#steps = [...(await this.#take(step)), ...later];
        this.#taken += 1;
      }
    } finally {
      advance(-delayS);
    }
  }

  #progress(): Progress {
    const { requests, jobs, faults, logged } = this;
    const uses = [...this.#context.providers.values()].flatMap(({ credentialUses }) => credentialUses?.() ?? []);
    const credentials = uses.map(({ kind, state }) => `${kind} ${state}`);
    return {
      steps: this.#steps,
      requests,
      jobs,
      faults: [...faults],
      logged: [...logged],
      taken: this.#taken,
      credentials,
    };
  }

  /** Returns the steps that follow from a step; those of repositories and accounts depend on the stored ones. */
  async #take(step: Step): Promise<Step[]> {
    switch (step.does) {
      case 'look up':
        await this.#lookUp(step.name, step.afterS);
        break;
      case 'install':
        await this.#install(step.name);
        break;
      case 'collect':
        await this.#collect(step.name);
        break;
      case 'want details':
        await this.#wantDetails();
        break;
      case 'want scans':
        await this.#wantScans();
        return (await this.#findIds(fetched)).map((id) => ({ does: 'refresh', id }));
      case 'refresh':
        await this.#runJobs([refreshJob(step.id), collectJob(step.id), fetchReportedTotalsJob(step.id)]);
        break;
      case 'poll installed':
        return (await this.#findIds(installed)).flatMap((id) => [
          { does: 'poll', id },
          { does: 'compare', id },
        ]);
      case 'poll':
        await this.#runJobs([pollJob(step.id)]);
        break;
      case 'compare':
        await this.#runJobs([reconcileJob(step.id)]);
        break;
    }
    return [];
  }

  async #lookUp(name: string, afterS: number): Promise<void> {
    const { advance } = this.#observed.world;
    advance(afterS);
    try {
      await this.#runJobs([lookUpJob({ provider: this.#observed.host.provider, name })]);
    } finally {
      advance(-afterS);
    }
  }

  async #wantDetails(): Promise<void> {
    for (const id of await this.#findIds(installed)) {
      await inTransaction(this.#context.connection, (transaction) =>
        changeNeeds(transaction, id, ['commit_lines', 'pull_request_files']),
      );
    }
  }

  async #wantScans(): Promise<void> {
    const { connection, now } = this.#context;
    for (const id of await this.#findIds('select id from repositories order by external_id')) {
      const names = (await findStreams(connection, id)).map(({ name }) => name);
      // Git sends no JSON, and takes longest.
      await wantFullScan(
        connection,
        id,
        names.filter((name) => name !== historyStream.name),
        now(),
      );
    }
  }

  async #install(name: string): Promise<void> {
    const { connection, providers } = this.#context;
    const { provider: providerName } = this.#observed.host;
    const stored = await findByName(connection, providerName, name);
    const provider = providers.get(providerName);
    if (stored?.state !== 'present' || provider === undefined) return;
    const call = { urgency: 'background', signal: this.#signal, cost: newCost() } as const;
    await this.#attempt(() =>
      install(this.#context, { account: stored.account, provider, repository: undefined }, call),
    );
    await this.#runJobs([collectJob(stored.account.id)]);
  }

  async #collect(name: string): Promise<void> {
    const id = await this.#findAccountId(name);
    if (id !== undefined) await this.#runJobs([collectJob(id), fetchReportedTotalsJob(id)]);
  }

  async #findAccountId(name: string): Promise<string | undefined> {
    const stored = await findByName(this.#context.connection, this.#observed.host.provider, name);
    return stored?.state === 'present' ? stored.account.id : undefined;
  }

  async #findIds(query: string): Promise<string[]> {
    const { rows } = await sql.raw<{ id: string }>(query).execute(this.#context.connection);
    return rows.map(({ id }) => id);
  }

  /** Runs jobs and the jobs that follow from them, until none is due. */
  async #runJobs(jobs: readonly Job[]): Promise<void> {
    for (const job of jobs) await addJob(this.#context.connection, job);
    for (;;) {
      const job = await this.#takeJob();
      if (job === undefined || this.#signal.aborted) break;
      const task = this.#tasks[job.task];
      if (task === undefined) continue;
      this.jobs += 1;
      if (this.jobs === limits.jobs) this.#stop(`more than ${limits.jobs} jobs`);
      await this.#attempt(() => task.run(job.payload, this.#signal));
    }
    if (this.#signal.aborted && !this.#abortController.signal.aborted) this.#stop(`no end after ${limits.ms} ms`);
  }

  async #takeJob(): Promise<{ task: string; payload: unknown } | undefined> {
    const { rows } = await sql<{ task: string; payload: unknown }>`
      delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
      where t.id = j.task_id and j.id = (
        select id from graphile_worker._private_jobs
        where run_at <= ${this.#context.now()} or run_at >= ${this.#untimedSince} order by priority, run_at, id limit 1)
      returning t.identifier as task, j.payload`.execute(this.#context.connection);
    return rows[0];
  }

  async #attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#record(error);
    }
  }

  #record(error: unknown): void {
    if (this.#signal.aborted) return;
    if (error instanceof AppError) {
      this.logged.push({ what: 'logged failure', code: error.code, message: error.message });
      return;
    }
    const fault = error instanceof Error ? summarizeStack(error.stack ?? error.message) : String(error);
    if (!this.faults.includes(fault)) this.faults.push(fault);
  }

  #stop(why: string): void {
    this.faults.push(why);
    this.#abortController.abort(new Error(why));
  }
}
