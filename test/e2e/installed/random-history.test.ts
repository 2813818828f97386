import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { type Simulator, startSimulator } from '../../../simulators/github/simulator.ts';
import { contributorsOf, countersOf } from '../../../simulators/world/expected-totals.ts';
import { Random } from '../../../simulators/world/random.ts';
import { recountRepository } from '../../../src/contributions/recount-store.ts';
import type { Tables } from '../../../src/database/tables.ts';
import { createTestDatabase } from '../../database.ts';
import { isThorough, sampled } from '../../depth.ts';
import { engines } from '../../integration/access/owner.ts';
import { until } from '../../time.ts';
import { untilIdle } from '../access/state.ts';
import { appSettings, organization, secret } from '../installations/installed.ts';
import { doSomething } from './actions.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';
import { storedItems } from './stored-items.ts';
import { worldItems } from './world-items.ts';

/** `RANDOM_HISTORY_STEPS=10000 TEST_TIMEOUT_MS=7200000 npm test -- random-history` runs a long one. */
const steps = Number(process.env['RANDOM_HISTORY_STEPS'] ?? (isThorough ? '150' : '50'));
/** A long history takes the service more time to read. */
const patienceMs = 60_000 + steps * 200;
const limits = { graphqlPerMinute: 1_000_000, corePerMinute: 1_000_000, graphql: 1_000_000, core: 1_000_000 };
const bad = { loss: 0.15, late: 0.05, repetition: 0.15, reordering: 0.2, delayMs: 50 };
const smooth = { loss: 0, late: 0, repetition: 0, reordering: 0, delayMs: 0 };

/** Moves all times back by eight days, so that all daily and weekly work is due. */
async function letTimePass(pool: Pool): Promise<void> {
  const days = "interval '8 days'";
  // Whole tables are locked first, because locks of row after row end in deadlocks.
  const changes = {
    accounts: `update accounts set listed_at = listed_at - ${days}, fetched_at = fetched_at - ${days}`,
    streams: `update streams set full_scan_at = full_scan_at - ${days}, known_until = known_until - ${days},
      withheld_at = withheld_at - ${days}`,
    repository_polls: 'delete from repository_polls',
  };
  for (const [table, change] of Object.entries(changes)) {
    await pool.query(`begin; lock table ${table} in share row exclusive mode; ${change}; commit`);
  }
  await pool.query(
    `update graphile_worker._private_jobs set run_at = now() where run_at > now() and locked_at is null`,
  );
  await pool.query(`update deliveries set attempts = 0`);
  for (const task of ['find_missed_deliveries', 'reconcile_installations', 'poll_due', 'apply_deliveries']) {
    await pool.query('select graphile_worker.add_job($1)', [task]);
  }
}

async function dropConnections(pool: Pool): Promise<void> {
  await pool.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
}

/** Asserts that the responses become those that follow from the world. */
async function assertResponses({ url }: ServiceProcess, { world }: Simulator): Promise<void> {
  let seen: unknown;
  const expected = [contributorsOf(world, engines.name), countersOf(world, engines.name)];
  const fetchData = async (path: string): Promise<Record<string, unknown>[]> => {
    const response = await fetch(`${url}/v1/github/entities/${engines.name}/${path}`);
    return ((await response.json()) as { data: Record<string, unknown>[] }).data;
  };
  await until(async () => {
    const people = await fetchData('contributors?limit=100');
    const [numbers] = await fetchData('contributions');
    const contributors = people.map(({ name, contributions }) => ({ login: name, contributions }));
    seen = [contributors, numbers?.['contributions']];
    return JSON.stringify(seen) === JSON.stringify(expected) ? true : undefined;
  }, 'the answers are those of the world').catch(() => assert.deepEqual(seen, expected));
}

async function assertStored(pool: Pool, simulator: Simulator): Promise<void> {
  const { world } = simulator;
  for (const repository of world.owned(organization(simulator))) {
    const [stored, expected] = [await storedItems(pool, repository.id), worldItems(world, repository)];
    const differences = {
      stored: stored.filter((row) => !expected.includes(row)),
      expected: expected.filter((row) => !stored.includes(row)),
    };
    assert.deepEqual(differences, { stored: [], expected: [] }, repository.name);
    assert.equal(stored.length, expected.length);
  }
  const connection = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const { rows } = await pool.query<{ id: string; name: string }>(
    `select r.id, r.name from repositories r join repository_totals t on t.repository_id = r.id
     where r.deleted_at is null and t.commits_counted`,
  );
  assert.ok(rows.length > 3);
  for (const { id, name } of rows) {
    const wrong = await connection.transaction().execute((transaction) => recountRepository(transaction, id));
    assert.equal(wrong, 0, `totals of ${name} are not what is stored`);
  }
}
describe('recovery from random changes and faults', () => {
  for (const seed of sampled([1, 2], 2)) {
    it(`stores the same final data after losses, repetitions, reordering and kills (${steps} steps, seed ${seed})`, async () => {
      const random = new Random(seed);
      await using simulator = await startSimulator({ repositories: 3, seed, limits });
      await using database = await createTestDatabase();
      await using directory = await makeTemporaryDirectory();
      await using services = new AsyncDisposableStack();
      const pool = new Pool({ connectionString: database.url, max: 4 });
      pool.on('error', () => {});
      services.defer(() => pool.end());
      const { app, world } = simulator;
      const start = async (): Promise<ServiceProcess> => {
        const service = services.use(
          await startServiceProcess({
            ...appSettings(simulator),
            // GitHub does not list stars for Apps, and their deliveries begin with the installation.
            GITHUB_TOKEN: simulator.tokens.organization_admin,
            DATABASE_URL: database.url,
            DATA_DIR: directory.path,
            GITHUB_URL: simulator.url,
            GITHUB_API_URL: simulator.apiUrl,
            RATE_LIMIT_PER_MINUTE: '100000',
          }),
        );
        app.deliverTo(service.url, secret);
        return service;
      };
      let service = await start();
      const owned = world.owned(organization(simulator)).filter(({ isFork }) => !isFork);
      app.install(organization(simulator));
      app.deliverer.policy = bad;
      for (let step = 0; step < steps; step += 1) {
        doSomething(world, random, random.pick(owned));
        if (random.chance(0.3)) await wait(random.integer(0, 20));
        if (random.chance(0.01)) await dropConnections(pool);
        if (random.chance(0.01)) {
          await service.kill();
          service = await start();
        }
      }
      app.deliverer.policy = smooth;
      await app.deliverer.idle();
      for (let round = 0; round < 2; round += 1) {
        await untilIdle({ database: { pool } }, patienceMs);
        await letTimePass(pool);
      }
      await untilIdle({ database: { pool } }, patienceMs);
      await assertResponses(service, simulator);
      await assertStored(pool, simulator);
    });
  }
});
