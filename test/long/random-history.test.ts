import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'pg';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { startSimulator } from '../../simulators/github/simulator.ts';
import { Random } from '../../simulators/world/random.ts';
import { createTestDatabase } from '../database.ts';
import { isThorough, sampled } from '../depth.ts';
import { appSettings, organization, secret } from '../e2e/installations/installed.ts';
import { doSomething } from '../e2e/installed/actions.ts';
import { type ServiceProcess, startServiceProcess } from '../e2e/installed/service-process.ts';
import { assertResponses, assertStored, settle } from '../e2e/installed/settling.ts';

/**
 * `RANDOM_HISTORY_STEPS=4000 RANDOM_HISTORY_SEEDS=1-20 TEST_TIMEOUT_MS=7200000 npm test -- random-history` runs long
 * ones.
 */
const steps = Number(process.env['RANDOM_HISTORY_STEPS'] ?? (isThorough ? '150' : '50'));
const seeds = seedsIn(process.env['RANDOM_HISTORY_SEEDS']) ?? sampled([1, 2], 2);
/** A long history takes the service more time to read. */
const patienceMs = 60_000 + steps * 200;
/** The number of lines of the log that a failure shows. */
const shownLines = 40;
const limits = { graphqlPerMinute: 1_000_000, corePerMinute: 1_000_000, graphql: 1_000_000, core: 1_000_000 };
const bad = { loss: 0.15, late: 0.05, repetition: 0.15, reordering: 0.2, delayMs: 50 };
const smooth = { loss: 0, late: 0, repetition: 0, reordering: 0, delayMs: 0 };

/** Returns the seeds of a range such as `7` or `1-20`. */
function seedsIn(range: string | undefined): number[] | undefined {
  if (range === undefined) return undefined;
  const [first = Number.NaN, last = first] = range.split('-').map(Number);
  if (!Number.isInteger(first) || !(last >= first)) throw new Error('RANDOM_HISTORY_SEEDS must be like 7 or 1-20.');
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

async function dropConnections(pool: Pool): Promise<void> {
  await pool.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
}

describe('recovery from random changes and faults', () => {
  for (const seed of seeds) {
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
      await settle(pool, app.deliverer, patienceMs).catch((cause: unknown) => {
        throw new Error(`work is left; the service logged: ${service.lines.slice(-shownLines).join('\n')}`, { cause });
      });
      await assertResponses(service, simulator);
      await assertStored(pool, simulator);
    });
  }
});
