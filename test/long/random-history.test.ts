import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'pg';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { startSimulator } from '../../simulators/github/simulator.ts';
import { Random } from '../../simulators/world/random.ts';
import { createTestDatabase } from '../database.ts';
import { newName } from '../database-server.ts';
import { isThorough, sampled } from '../depth.ts';
import { appSettings, organization, secret } from '../e2e/installations/installed.ts';
import { performRandomAction } from '../e2e/installed/actions.ts';
import { type ServiceProcess, startServiceProcess } from '../e2e/installed/service-process.ts';
import { assertResponses, assertStored, untilChangesAreFollowed } from '../e2e/installed/work-ends.ts';
import { engines } from '../integration/access/owner.ts';
import { poolerIsMissing, startPooler } from '../servers/pooler.ts';
import { startReplicatedServer } from '../servers/replicated.ts';

/**
 * `RANDOM_HISTORY_STEPS=4000 RANDOM_HISTORY_SEEDS=1-20 TEST_TIMEOUT_MS=7200000 npm test -- random-history` runs long
 * ones.
 */
const steps = Number(process.env['RANDOM_HISTORY_STEPS'] ?? (isThorough ? '150' : '25'));
const seeds = seedsIn(process.env['RANDOM_HISTORY_SEEDS']) ?? sampled([1, 2], 2);
/** A long history takes the service more time to read. */
const patienceMs = 60_000 + steps * 200;
/** The number of lines of the log that a failure shows. */
const shownLines = 40;
const limits = { graphqlPerMinute: 1_000_000, corePerMinute: 1_000_000, graphql: 1_000_000, core: 1_000_000 };
const irregularDeliveries = { loss: 0.15, late: 0.05, repetition: 0.15, reordering: 0.2, delayMs: 50 };
const regularDeliveries = { loss: 0, late: 0, repetition: 0, reordering: 0, delayMs: 0 };

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

/** A database, and the nodes of the service on it. */
interface Layout extends AsyncDisposable {
  databaseUrl: string;
  nodeCount: number;
  settings: Record<string, string>;
  /** Disturbs or restores the replica. */
  disturb: (isDisturbed: boolean) => Promise<void>;
}

async function oneNode(): Promise<Layout> {
  const { url, ...created } = await createTestDatabase();
  return { databaseUrl: url, nodeCount: 1, settings: { DATABASE_URL: url }, disturb: async () => {}, ...created };
}

async function twoNodesBehindPooler(): Promise<Layout> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startReplicatedServer());
  const databaseUrl = await server.create(newName('history'));
  const pooler = stack.use(await startPooler(databaseUrl));
  const opened = stack.move();
  return {
    databaseUrl,
    nodeCount: 2,
    settings: {
      DATABASE_URL: pooler.toUrl(databaseUrl),
      DATABASE_DIRECT_URL: databaseUrl,
      DATABASE_REPLICA_URL: server.standby.urlOf(databaseUrl),
    },
    disturb: (isDisturbed) => (isDisturbed ? server.standby.pause() : server.standby.resume()),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Requests what callers may see at any time: the service never fails, and no response is old for long. */
async function assertServed({ url }: ServiceProcess, path: string): Promise<void> {
  const { status } = await fetch(`${url}/v1/github/entities/${path}`);
  assert.ok([200, 202, 503].includes(status), `${path}: ${status}`);
}

async function runRandomHistory(seed: number, openLayout: () => Promise<Layout>): Promise<void> {
  const random = new Random(seed);
  await using simulator = await startSimulator({ repositories: 3, seed, limits });
  await using layout = await openLayout();
  await using directory = await makeTemporaryDirectory();
  await using services = new AsyncDisposableStack();
  const pool = new Pool({ connectionString: layout.databaseUrl, max: 4 });
  pool.on('error', () => {});
  services.defer(() => pool.end());
  const { app, world } = simulator;
  const start = async (node: number): Promise<ServiceProcess> => {
    const service = services.use(
      await startServiceProcess({
        ...appSettings(simulator),
        ...layout.settings,
        // GitHub does not list stars for Apps, and their deliveries begin with the installation.
        GITHUB_TOKEN: simulator.tokens.organization_admin,
        DATA_DIR: directory.pathOf(`node-${node}`),
        GITHUB_URL: simulator.url,
        GITHUB_API_URL: simulator.apiUrl,
        RATE_LIMIT_PER_MINUTE: '100000',
      }),
    );
    app.deliverTo(service.url, secret);
    return service;
  };
  const nodes: ServiceProcess[] = [];
  for (let node = 0; node < layout.nodeCount; node += 1) nodes.push(await start(node));
  const owned = world.owned(organization(simulator)).filter(({ isFork }) => !isFork);
  app.install(organization(simulator));
  app.deliverer.policy = irregularDeliveries;
  let isDisturbed = false;
  for (let step = 0; step < steps; step += 1) {
    performRandomAction(world, random, random.pick(owned));
    if (random.chance(0.3)) await wait(random.integer(0, 20));
    if (random.chance(0.01)) await dropConnections(pool);
    const node = layout.nodeCount === 1 ? 0 : random.integer(0, layout.nodeCount - 1);
    if (random.chance(0.01)) {
      await nodes[node]?.kill();
      nodes[node] = await start(node);
    }
    if (layout.nodeCount === 1) continue;
    if (random.chance(0.1)) await layout.disturb((isDisturbed = !isDisturbed));
    const reader = nodes[node];
    if (reader !== undefined)
      await assertServed(reader, `${engines.name}/${random.pick(['contributors', 'contributions'])}`);
  }
  await layout.disturb(false);
  app.deliverer.policy = regularDeliveries;
  await untilChangesAreFollowed(pool, app.deliverer, patienceMs).catch((cause: unknown) => {
    const lines = nodes.flatMap((service) => service.lines.slice(-shownLines));
    throw new Error(`work is left; the service logged: ${lines.join('\n')}`, { cause });
  });
  for (const service of nodes) await assertResponses(service, simulator);
  await assertStored(pool, simulator);
}

describe('recovery from random changes and faults', () => {
  for (const seed of seeds) {
    it(`stores the same final data after losses, repetitions, reordering and kills (${steps} steps, seed ${seed})`, () =>
      runRandomHistory(seed, oneNode));

    it(
      `stores the same final data on two nodes behind a pooler with a replica that pauses (${steps} steps, seed ${seed})`,
      {
        skip: poolerIsMissing,
      },
      () => runRandomHistory(seed, twoNodesBehindPooler),
    );
  }
});
