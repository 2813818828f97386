import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'pg';
import { type Simulator, startSimulator } from '../../simulators/github/simulator.ts';
import { Random } from '../../simulators/world/random.ts';
import { superuser } from '../../src/database/embedded/cluster.ts';
import { type DatabaseLink, startDatabaseLink } from '../database-link.ts';
import { appSettings, organization, secret } from '../e2e/installations/installed.ts';
import { performRandomAction } from '../e2e/installed/actions.ts';
import { type ServiceProcess, startServiceProcess } from '../e2e/installed/service-process.ts';
import { assertResponses, assertStored, untilChangesAreFollowed } from '../e2e/installed/work-ends.ts';
import { engines } from '../integration/access/owner.ts';
import { until } from '../time.ts';
import { Balancer } from './balancer.ts';
import { OwnPostgres } from './own-postgres.ts';
import { Reads } from './reads.ts';

const nodeCount = 3;
const readers = 4;
/** The time after an outage of the database within which reads must succeed again, in ms. */
const recoversWithinMs = 15_000;
const endsWithinMs = 180_000;
const limits = { graphqlPerMinute: 1_000_000, corePerMinute: 1_000_000, graphql: 1_000_000, core: 1_000_000 };
const irregularDeliveries = { loss: 0.15, late: 0.05, repetition: 0.15, reordering: 0.2, delayMs: 50 };
const regularDeliveries = { loss: 0, late: 0, repetition: 0, reordering: 0, delayMs: 0 };
const hostFaults = [
  'bad_gateway',
  'unavailable',
  'slow',
  'drop_midway',
  'secondary_limit',
  'internal_in_200',
  'truncated',
] as const;

interface SoakOptions {
  directory: string;
  durationMs: number;
  seed: number;
  log: (line: string) => void;
}

interface SoakContext extends SoakOptions {
  random: Random;
  simulator: Simulator;
  postgres: OwnPostgres;
  link: DatabaseLink;
  balancer: Balancer;
  nodes: ServiceProcess[];
  startNode: () => Promise<ServiceProcess>;
  /** Times during which the database was unavailable, in ms since 1970, with the time for recovery. */
  outages: { from: number; to: number }[];
  /** Promises that were not kept while the nodes ran. */
  faults: string[];
}

/** Runs the nodes under faults. @returns a line for each promise that was not kept. */
export async function soak(options: SoakOptions): Promise<string[]> {
  await using stack = new AsyncDisposableStack();
  const context = await prepare(options, stack);
  const { balancer, random, simulator, log, durationMs } = context;
  simulator.app.install(organization(simulator));
  const paths = await firstReads(context);
  const reads = new Reads({ url: balancer.url, paths, readers, pauseMs: 20 });
  simulator.app.deliverer.policy = irregularDeliveries;
  const endsAt = Date.now() + durationMs;
  const history = keepChanging(context, endsAt);
  while (Date.now() < endsAt) {
    await wait(random.integer(1000, 5000));
    if (Date.now() < endsAt) await random.pick(disturbances)(context);
  }
  await history;
  await reads.stop();
  const failures = reads.failures.filter(
    ({ at, until: end }) => !context.outages.some(({ from, to }) => end >= from && at <= to),
  );
  log(
    `${reads.count} reads, ${reads.failures.length} of them failed, ${failures.length} while the database was available`,
  );
  const failedReads = failures
    .slice(0, 10)
    .map(({ path, outcome, at }) => `${new Date(at).toISOString()} ${path}: ${outcome}`);
  return [...context.faults, ...failedReads, ...(await findFaults(context))];
}

async function prepare(options: SoakOptions, stack: AsyncDisposableStack): Promise<SoakContext> {
  const { directory, seed } = options;
  // The user of PostgreSQL passes through this directory; histories inside of it are private by themselves.
  await chmod(directory, 0o755);
  const simulator = stack.use(await startSimulator({ repositories: 3, seed, limits }));
  const folder = join(directory, 'server');
  await mkdir(folder, { mode: 0o755 });
  const postgres = await OwnPostgres.create(folder);
  stack.defer(() => postgres.close());
  const link = stack.use(await startDatabaseLink({ path: postgres.socket }));
  const balancer = await Balancer.start();
  stack.defer(() => balancer.close());
  simulator.app.deliverTo(balancer.url, secret);
  const nodes: ServiceProcess[] = [];
  const startNode = async (): Promise<ServiceProcess> => {
    const node = await startServiceProcess({
      ...appSettings(simulator),
      GITHUB_TOKEN: simulator.tokens.organization_admin,
      DATABASE_URL: `postgresql://${superuser}@127.0.0.1:${link.port}/postgres`,
      DATA_DIR: join(directory, `node-${nodes.length}`),
      GITHUB_URL: simulator.url,
      GITHUB_API_URL: simulator.apiUrl,
      PUBLIC_URL: balancer.url,
      RATE_LIMIT_PER_MINUTE: '1000000',
    });
    nodes.push(node);
    stack.use(node);
    balancer.add(node.url);
    return node;
  };
  for (let count = 0; count < nodeCount; count += 1) await startNode();
  return {
    ...options,
    random: new Random(seed),
    simulator,
    postgres,
    link,
    balancer,
    nodes,
    startNode,
    outages: [],
    faults: [],
  };
}

/** Waits until accounts are known. @returns the addresses that must succeed from then on. */
async function firstReads({ balancer, simulator }: SoakContext): Promise<string[]> {
  const people = simulator.world.accounts.filter(({ type }) => type === 'User').slice(0, 5);
  const names = [engines.name, ...people.map(({ login }) => login)];
  const paths = names.flatMap((name) =>
    ['', '/contributions', '/contributors?limit=100', '/contributions?format=svg'].map(
      (path) => `/v1/github/entities/${name}${path}`,
    ),
  );
  const knownPaths = await Promise.all(
    paths.map((path) =>
      until(async () => {
        const { status } = await fetch(`${balancer.url}${path}`);
        return status === 200 || status === 404 ? { path, status } : undefined;
      }, `${path} is known`),
    ),
  );
  return knownPaths.filter(({ status }) => status === 200).map(({ path }) => path);
}

/** Changes the world until a time, a few times a second. */
async function keepChanging({ random, simulator: { world }, simulator }: SoakContext, endsAt: number): Promise<void> {
  const owned = world.owned(organization(simulator)).filter(({ isFork }) => !isFork);
  while (Date.now() < endsAt) {
    performRandomAction(world, random, random.pick(owned));
    await wait(random.integer(50, 400));
  }
}

type Disturbance = (context: SoakContext) => Promise<void>;

const killNode: Disturbance = async (context) => {
  const { nodes, random, balancer, log, startNode } = context;
  const node = random.pick(nodes);
  log('a node is killed');
  // The balancer finds out by a failed connection, as a real one does.
  await node.kill();
  balancer.remove(node.url);
  nodes.splice(nodes.indexOf(node), 1);
  await wait(random.integer(0, 3000));
  await startNode();
};

const rollNode: Disturbance = async ({ nodes, random, balancer, log, startNode, faults }) => {
  const node = random.pick(nodes);
  await startNode();
  nodes.splice(nodes.indexOf(node), 1);
  const startedAt = Date.now();
  // The balancer sends requests until the node refuses connections, as it does between two health checks.
  const status = await node.stop();
  balancer.remove(node.url);
  log(`a node is replaced; the former one stopped within ${Date.now() - startedAt} ms`);
  if (status !== 0) faults.push(`a node that stopped had the exit status ${status}`);
};

const failHost: Disturbance = async ({ simulator, random, log }) => {
  const kind = random.pick(hostFaults);
  log(`the host fails: ${kind}`);
  simulator.faults.add({ kind, times: random.integer(1, 20), delayMs: 500, retryAfterS: 1 });
};

const crashDatabase: Disturbance = async (context) => {
  context.log('the database ends at once');
  await duringOutage(context, async () => {
    await context.postgres.crash();
    await wait(context.random.integer(0, 3000));
    await context.postgres.start();
  });
};

const freezeDatabase: Disturbance = async (context) => {
  context.log('the database freezes');
  await duringOutage(context, async () => {
    const thaw = await context.postgres.freeze();
    await wait(context.random.integer(1000, 12_000));
    thaw();
  });
};

const moveDatabase: Disturbance = async (context) => {
  context.log('the database moves');
  await duringOutage(context, async () => {
    await context.postgres.move();
    context.link.connectTo({ path: context.postgres.socket });
  });
};

/** Connections swallow all that is sent over them, as behind a firewall that forgot them; new ones work. */
const muteDatabase: Disturbance = async (context) => {
  context.log('the connections to the database fall silent');
  await duringOutage(context, async () => {
    context.link.silence('existing');
  });
};

const disturbances: readonly Disturbance[] = [
  killNode,
  killNode,
  rollNode,
  failHost,
  failHost,
  crashDatabase,
  freezeDatabase,
  moveDatabase,
  muteDatabase,
];

/** Records the time of an outage of the database, and waits until all nodes are ready again. */
async function duringOutage({ outages, nodes, log }: SoakContext, work: () => Promise<void>): Promise<void> {
  const outage = { from: Date.now(), to: Number.POSITIVE_INFINITY };
  outages.push(outage);
  await work();
  outage.to = Date.now() + recoversWithinMs;
  const startedAt = Date.now();
  for (const { url } of nodes) {
    await until(async () => {
      const { status } = await fetch(`${url}/readyz`);
      return status === 200 ? true : undefined;
    }, 'all nodes are ready again');
  }
  log(`all nodes were ready ${Date.now() - startedAt} ms after the database`);
}

/** Ends all faults, waits until the nodes are idle, and compares the stored data with the world. */
async function findFaults(context: SoakContext): Promise<string[]> {
  const { simulator, balancer, link, log } = context;
  simulator.faults.clear();
  simulator.app.deliverer.policy = regularDeliveries;
  const pool = new Pool({ host: '127.0.0.1', port: link.port, user: superuser, database: 'postgres', max: 4 });
  try {
    await untilChangesAreFollowed(pool, simulator.app.deliverer, endsWithinMs);
    log('all work is done');
    await assertResponses(balancer, simulator);
    await assertStored(pool, simulator);
    return await stuckJobs(pool);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  } finally {
    await pool.end();
  }
}

/**
 * Finds jobs that failed for good, or that a worker holds although nothing is under way. A job without a key was
 * replaced while it ran, and the other one did its work.
 */
async function stuckJobs(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ task: string; error: string | null }>(
    `select task_identifier as task, last_error as error from graphile_worker.jobs
     where key is not null and last_error is not null and attempts >= max_attempts or locked_at < now() - interval '1 minute'`,
  );
  return rows.map(({ task, error }) => `the job ${task} is stuck: ${error ?? 'locked'}`);
}
