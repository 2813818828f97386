import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { setInterval } from 'node:timers/promises';
import { Pool } from 'pg';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { type Simulator, startSimulator } from '../../simulators/github/simulator.ts';
import { addIssue } from '../../simulators/world/activity.ts';
import { Random } from '../../simulators/world/random.ts';
import { readCatalog } from '../catalog.ts';
import { shortenDelaysFor } from '../database-server.ts';
import { appSettings, organization, secret } from '../e2e/installations/installed.ts';
import { performRandomAction } from '../e2e/installed/actions.ts';
import { type ServiceProcess, startServiceProcess } from '../e2e/installed/service-process.ts';
import { assertResponses, assertStored, untilChangesAreFollowed } from '../e2e/installed/work-ends.ts';
import { engines } from '../integration/access/owner.ts';
import { findLastRelease, type Release, unpackRelease } from '../last-release.ts';
import { programEnvironment } from '../program.ts';
import { startOwnServer } from '../servers/own-server.ts';
import { packagedVersion } from '../servers/packages.ts';
import { until } from '../time.ts';

const found = findLastRelease();
const skip = 'reason' in found && found.reason;
const released = 'reason' in found ? undefined : found;
const limits = { graphqlPerMinute: 1_000_000, corePerMinute: 1_000_000, graphql: 1_000_000, core: 1_000_000 };
/** On a busy machine connections take longer than their limit, and a node repeats a failed request after a minute. */
const patienceMs = 120_000;
const changes = 60;
const changeEveryMs = 100;
const paths = ['', '/contributions', '/contributors?limit=100'].map(
  (path) => `/v1/github/entities/${engines.name}${path}`,
);

interface Fixture extends AsyncDisposable {
  simulator: Simulator;
  pool: Pool;
  /** The address of the database. */
  databaseUrl: string;
  /** Starts a node, and has the host deliver to it. */
  start: (release?: Release, databaseUrl?: string) => Promise<ServiceProcess>;
  /** Runs a command of a release. @returns its exit status. */
  run: (release: Release, parameters: readonly string[], databaseUrl: string) => Promise<number>;
  /** Creates an empty database. @returns its address. */
  createDatabase: (name: string) => Promise<string>;
  /** Returns a path in a directory of the test. */
  at: (name: string) => string;
  /** Changes the world once. */
  change: () => void;
  /** Adds an item to the world, which no reading has to find missing. */
  grow: () => void;
  /** Waits until all work is done. */
  untilWorkEnds: () => Promise<void>;
}

/** Prepares a host, whose organization installs the service, and an empty database. */
async function prepare(): Promise<Fixture> {
  const stack = new AsyncDisposableStack();
  const simulator = stack.use(await startSimulator({ repositories: 3, limits }));
  const server = stack.use(await startOwnServer(packagedVersion));
  const databaseUrl = await server.create('upgraded');
  const directory = stack.use(await makeTemporaryDirectory());
  const pool = new Pool({ connectionString: databaseUrl, max: 4 });
  pool.on('error', () => {});
  stack.defer(() => pool.end());
  const random = new Random(1);
  const owned = simulator.world.owned(organization(simulator)).filter(({ isFork }) => !isFork);
  const people = simulator.world.accounts.filter(({ type, isDeleted }) => type === 'User' && !isDeleted).slice(0, 12);
  let nodes = 0;
  const listSettings = (url: string): Record<string, string> => {
    nodes += 1;
    return {
      ...appSettings(simulator),
      GITHUB_TOKEN: simulator.tokens.organization_admin,
      DATABASE_URL: url,
      DATA_DIR: directory.pathOf(`node-${nodes}`),
      GITHUB_URL: simulator.url,
      GITHUB_API_URL: simulator.apiUrl,
      RATE_LIMIT_PER_MINUTE: '100000',
    };
  };
  const start = async (release?: Release, url = databaseUrl): Promise<ServiceProcess> => {
    const node = stack.use(await startServiceProcess(listSettings(url), release?.program));
    simulator.app.deliverTo(node.url, secret);
    return node;
  };
  const run = async ({ program }: Release, parameters: readonly string[], url: string): Promise<number> => {
    const env = { ...programEnvironment(), NODE_OPTIONS: '', LOG_LEVEL: 'warn', ...listSettings(url) };
    const [status] = await once(spawn(process.execPath, [program, ...parameters], { env, stdio: 'ignore' }), 'exit');
    return Number(status);
  };
  return {
    simulator,
    pool,
    databaseUrl,
    start,
    run,
    createDatabase: (name) => server.create(name),
    at: (name) => directory.pathOf(name),
    change: () => performRandomAction(simulator.world, random, random.pick(owned)),
    grow: () => void addIssue(simulator.world, random.pick(owned), { author: random.pick(people) }),
    untilWorkEnds: async () => {
      await shortenDelaysFor(databaseUrl);
      await untilChangesAreFollowed(pool, simulator.app.deliverer, patienceMs);
    },
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}

/** Returns the status and the data of responses about the organization. */
function readResponses({ url }: ServiceProcess): Promise<{ status: number; data: unknown }[]> {
  return Promise.all(
    paths.map(async (path) => {
      const response = await fetch(`${url}${path}`);
      const { data } = (await response.json()) as { data: unknown };
      return { status: response.status, data };
    }),
  );
}

/** Has the organization install the service, and waits until a node of the last release has collected it. */
async function collectAll({ simulator, change }: Fixture, node: ServiceProcess): Promise<void> {
  simulator.app.install(organization(simulator));
  for (let count = 0; count < changes; count += 1) change();
  await assertResponses(node, simulator, patienceMs);
}

describe(`upgrade from the last release (${released?.version ?? 'unknown'})`, { skip }, () => {
  const stack = new AsyncDisposableStack();
  let release: Release = undefined as never;
  before(async () => {
    release = stack.use(await unpackRelease(released ?? assert.fail()));
  });
  after(() => stack.disposeAsync());

  it('keeps and serves what a node of the last release stored, also while the host is unavailable', async () => {
    await using fixture = await prepare();
    const { simulator, pool, start } = fixture;
    const old = await start(release);
    await collectAll(fixture, old);
    // Jobs of the old node may still change the names of accounts, which deliveries mention without one.
    await simulator.app.deliverer.idle();
    await untilJobsEnd(pool);
    const served = await readResponses(old);
    assert.deepEqual(new Set(served.map(({ status }) => status)), new Set([200]));
    await old.stop();

    simulator.faults.add({ kind: 'unavailable', times: 1_000_000 });
    const node = await start();
    const [account, , contributors] = await readResponses(node);
    assert.deepEqual(contributors, served[2]);
    assert.equal(account?.status, 200);

    simulator.faults.clear();
    for (let count = 0; count < changes; count += 1) fixture.change();
    await fixture.untilWorkEnds();
    await assertResponses(node, simulator, patienceMs);
    await assertStored(pool, simulator);
  });

  it('leaves the tables, indexes, constraints, functions and triggers that a new database has', async () => {
    await using fixture = await prepare();
    const { databaseUrl, start, createDatabase } = fixture;
    const old = await start(release);
    await collectAll(fixture, old);
    await old.stop();
    const newUrl = await createDatabase('new');
    for (const url of [databaseUrl, newUrl]) await (await start(undefined, url)).stop();
    const [upgraded, expected] = [await readCatalog(databaseUrl), await readCatalog(newUrl)];
    assert.ok(expected.length > 1000, String(expected.length));
    assert.deepEqual(
      {
        missing: expected.filter((object) => !upgraded.includes(object)),
        others: upgraded.filter((object) => !expected.includes(object)),
      },
      { missing: [], others: [] },
    );
  });

  it('succeeds while a node of the last release writes, which goes on', async () => {
    await using fixture = await prepare();
    const { simulator, pool, start } = fixture;
    const old = await start(release);
    await collectAll(fixture, old);
    const stopWriting = new AbortController();
    const written = writeUntil(fixture, stopWriting.signal);
    const node = await start().finally(() => stopWriting.abort());
    await written;
    await assertResponses(old, simulator, patienceMs);
    await old.stop();
    await fixture.untilWorkEnds();
    await assertResponses(node, simulator, patienceMs);
    await assertStored(pool, simulator);
  });
});

describe(`return to the last release (${released?.version ?? 'unknown'})`, { skip }, () => {
  it('starts it on the backup from before the upgrade, where it fetches what has happened since', async () => {
    await using release = await unpackRelease(released ?? assert.fail());
    await using scene = await prepare();
    const { simulator, pool, start, run, databaseUrl } = scene;
    const old = await start(release);
    await collectAll(scene, old);
    await simulator.app.deliverer.idle();
    await untilJobsEnd(pool);
    assert.equal(await old.stop(), 0);
    assert.equal(await run(release, ['backup', scene.at('before')], databaseUrl), 0);

    const upgraded = await start();
    for (let count = 0; count < changes; count += 1) scene.grow();
    await scene.untilWorkEnds();
    await assertResponses(upgraded, simulator, patienceMs);
    assert.equal(await upgraded.stop(), 0);
    await assert.rejects(start(release), /The database was written by a newer release/);

    const restoredUrl = await scene.createDatabase('restored');
    assert.equal(await run(release, ['restore', scene.at('before')], restoredUrl), 0);
    const returned = await start(release, restoredUrl);
    for (let count = 0; count < changes; count += 1) scene.grow();
    await assertResponses(returned, simulator, patienceMs);
  });
});

/** Waits until no job is running or due. Tables of the last release have other names than those of this one. */
async function untilJobsEnd(pool: Pool): Promise<void> {
  await until(
    async () => {
      const { rows } = await pool.query(
        'select 1 from graphile_worker.jobs where locked_at is not null or (run_at <= now() and attempts < max_attempts)',
      );
      return rows.length === 0 || undefined;
    },
    'no job is running',
    patienceMs,
  );
}

/** Changes the world until the signal aborts, so that the host keeps delivering. */
async function writeUntil({ change, simulator }: Fixture, signal: AbortSignal): Promise<void> {
  try {
    for await (const _ of setInterval(changeEveryMs, undefined, { signal })) change();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  await simulator.app.deliverer.idle();
}
