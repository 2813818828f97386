import assert from 'node:assert/strict';
import type { Simulator } from '../../../simulators/github/simulator.ts';
import type { Account, Repository } from '../../../simulators/world/model.ts';
import { engines } from '../../integration/access/owner.ts';
import { until } from '../../time.ts';
import { untilIdle } from '../access/state.ts';
import { startTestService, type TestService, type TestServiceOptions } from '../service.ts';

export const secret = 'a secret of the App';

/** Returns the settings of a service that is the simulator's App. */
export function appSettings({ app }: Simulator): Record<string, string> {
  return {
    GITHUB_APP_ID: String(app.id),
    GITHUB_APP_PRIVATE_KEY: app.privateKey.replaceAll('\n', '\\n'),
    GITHUB_WEBHOOK_SECRET: secret,
  };
}

export interface AppServiceOptions extends Partial<TestServiceOptions> {
  /** True: the App does not deliver to the service. */
  hasNoDeliveries?: boolean;
  /** Default: the whole service. */
  startService?: (options: TestServiceOptions) => Promise<TestService>;
}

/** A service, or the part of one that runs tasks. */
type RunningService = Pick<TestService, 'database' | 'work'>;

/** Starts a service that is the App. By default it has no token. */
export async function startAppService(simulator: Simulator, options: AppServiceOptions = {}): Promise<TestService> {
  const { hasNoDeliveries = false, startService = startTestService, settings, ...rest } = options;
  const service = await startService({
    simulator,
    tokens: [],
    ...rest,
    settings: { ...appSettings(simulator), ...settings },
  });
  if (!hasNoDeliveries) simulator.app.deliverTo(service.url, secret);
  return service;
}

export function organization({ world }: Simulator): Account {
  return world.accountByLogin(engines.name) ?? assert.fail();
}

export function engine({ world }: Simulator, name: string): Repository {
  return world.repository(engines.name, name) ?? assert.fail(name);
}

/** Returns the stored repositories of the organization as pairs of a name and its states. */
export async function repositoryStates({ database }: TestService): Promise<Record<string, string>> {
  const { rows } = await database.pool.query<{
    name: string;
    is_private: boolean;
    is_installed: boolean;
    is_deleted: boolean;
    is_collected: boolean;
  }>(
    `select r.name, is_private, installed_at is not null as is_installed, r.deleted_at is not null as is_deleted,
       collected_at is not null as is_collected
     from repositories r join accounts a on a.id = r.owner_id where a.name = $1 order by r.name`,
    [engines.name],
  );
  return Object.fromEntries(
    rows.map((row) => [
      row.name,
      [
        row.is_private ? 'private' : 'public',
        ...(row.is_installed ? ['installed'] : []),
        ...(row.is_collected ? ['collected'] : []),
        ...(row.is_deleted ? ['deleted'] : []),
      ].join(' '),
    ]),
  );
}

/** Waits until the state of a repository matches. */
export async function untilRepositoryIs(service: TestService, name: string, expected: RegExp): Promise<void> {
  let last = '';
  await until(async () => {
    await service.work?.();
    last = (await repositoryStates(service))[name] ?? 'absent';
    return expected.test(last) ? true : undefined;
  }, `${name} is ${expected.source}`).catch((error: unknown) => {
    throw new Error(`${name} is ${last}`, { cause: error });
  });
}

/** Compares the installations with GitHub, as the service does each hour. */
export async function reconcileNow(service: RunningService): Promise<void> {
  await runTask(service, 'reconcile_installations');
}

/** Runs a task that otherwise the clock begins, and waits for its end. */
export async function runTask(service: RunningService, task: string, payload: object = {}): Promise<void> {
  const { pool } = service.database;
  const { rows } = await pool.query<{ id: string }>(
    'select id from graphile_worker.add_job($1, $3::json, job_key => $2)',
    [task, `${task} by hand`, JSON.stringify(payload)],
  );
  await until(async () => {
    await service.work?.();
    const left = await pool.query('select 1 from graphile_worker.jobs where id = $1', [rows[0]?.id]);
    return left.rows.length === 0 ? true : undefined;
  }, `${task} has ended`);
}

/** Moves the clock forward and begins a round of polls, as the clock does every 30 seconds. */
export async function pollOwners(
  { service, advance }: { service: TestService; advance: (seconds: number) => void },
  afterSeconds = 30,
): Promise<void> {
  advance(afterSeconds);
  await runTask(service, 'start_owner_polls');
  await untilIdle(service);
}
