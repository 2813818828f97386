import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { startSimulator } from '../../simulators/github/simulator.ts';
import { createTestDatabase } from '../database.ts';
import { isThorough } from '../depth.ts';
import { untilIdle } from '../e2e/access/state.ts';
import { startTestService } from '../e2e/service.ts';
import { openAppliers, repositoryHidden } from '../integration/deliveries/appliers.ts';
import { snapshot } from '../integration/sync/snapshot.ts';
import { citusIsMissing, createDistributed, startCluster } from '../servers/citus.ts';
import { runSync } from '../service/sync/syncing.ts';
import { until } from '../time.ts';

/** Parts of paths of test files whose statements read or write the divided tables. */
const parts = [
  ['integration/achievements', 'integration/boards'],
  ['integration/contributions', 'integration/repositories'],
  ['integration/contributors', 'integration/windows', 'service/windows/contributors.test'],
  ['integration/deliveries', 'service/contributors', 'service/sync/stars', 'service/windows/every-language'],
];
const runner = fileURLToPath(new URL('../runner/main.ts', import.meta.url));
const skip = process.env['TEST_CITUS']
  ? 'the whole run uses a cluster'
  : citusIsMissing || (!isThorough && 'it takes too long for a sample of the long tier');
/** The requests of a collection, as parts of all of them, at which a worker crashes. */
const crashes = [0.1, 0.4, 0.7, 0.9];

describe('running on a Citus cluster', { skip }, () => {
  for (const words of parts) {
    it(`passes the tests of ${words.join(' and ')}`, async () => {
      const environment = { ...process.env, TEST_CITUS: '1', TEST_STATEMENTS: undefined };
      const child = spawn(process.execPath, [runner, ...words], {
        env: environment,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      assert.equal(code, 0, output);
    });
  }
});

describe('workers of a Citus cluster', { skip }, () => {
  const stack = new AsyncDisposableStack();
  let cluster: Awaited<ReturnType<typeof startCluster>>;
  before(async () => {
    cluster = stack.use(await startCluster());
  });
  after(() => stack.disposeAsync());

  it('hold all shards of distributed tables', async () => {
    const { rows } = await query(
      await createDistributed(cluster, 'shards'),
      `select distinct nodeport::text as port from citus_shards where citus_table_type = 'distributed'`,
    );
    const workers = cluster.urls.slice(1).map((url) => new URL(url).port);
    assert.deepEqual(new Set(rows.map(({ port }) => port)), new Set(workers));
  });

  it('lose and double nothing when one of them crashes while a page is stored', async () => {
    const now = (): Date => new Date('2026-11-21T12:00:00Z');
    let onRequest = (): void => {};
    await using simulator = await startSimulator({ now, repositories: 2, onRequest: () => onRequest() });
    const target = `github/${simulator.accounts.organization}`;
    await using plain = await createTestDatabase();
    await using directory = await makeTemporaryDirectory();
    await runSync({ simulator, target, databaseUrl: plain.url, dataDir: directory.path });
    const expected = await snapshot(plain.url);
    const requests = simulator.requests.length;
    for (const at of crashes.map((part) => Math.ceil(part * requests))) {
      const databaseUrl = await createDistributed(cluster, `crash_${at}`);
      await using own = await makeTemporaryDirectory();
      let seen = 0;
      let crashed: Promise<void> | undefined;
      onRequest = () => {
        seen += 1;
        if (seen === at) crashed = cluster.crash(1 + (at % 2));
      };
      const options = { simulator, target, databaseUrl, dataDir: own.path };
      await runSync(options).catch(() => {});
      await crashed;
      await cluster.restart(1 + (at % 2));
      await runSync(options);
      onRequest = () => {};
      assert.deepEqual(await snapshot(databaseUrl), expected, `crashed at request ${at} of ${requests}`);
    }
  });

  it('are away for reads of their repositories alone, which fail as without a database, until they are back', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    const databaseUrl = await createDistributed(cluster, 'away');
    await using service = await startTestService({
      simulator,
      databaseUrl,
      settings: { LOOKUP_BUDGET_MS: '100' },
    });
    const { organization } = simulator.accounts;
    await service.getComplete(`${organization}/contributors`);
    await untilIdle(service);
    const days = `${organization}/contributions?period=2025`;
    const before = await service.get(days);
    assert.equal(before.status, 200);
    for (const worker of [1, 2]) await cluster.crash(worker);
    const during = await service.get(`${days}&not=cached`);
    assert.deepEqual([during.status, during.body.error?.type], [503, 'unavailable']);
    assert.ok(Number(during.headers.get('retry-after')) > 0);
    assert.equal((await service.get(`${organization}?not=cached`)).status, 200);
    assert.equal((await service.get('/readyz')).status, 200);
    for (const worker of [1, 2]) await cluster.restart(worker);
    const after = await until(async () => {
      const response = await service.get(`${days}&not=cached-either`);
      return response.status === 200 ? response : undefined;
    }, 'the numbers are back');
    assert.deepEqual(after.body.data, before.body.data);
  });

  it('delay deliveries about their repositories while they are away, and no others', async () => {
    const databaseUrl = await createDistributed(cluster, 'deliveries');
    await using fixture = await openAppliers({ nodes: 1, repositories: 16, databaseUrl });
    const [worker = ''] = cluster.urls.slice(1);
    const { rows: away } = await query(
      databaseUrl,
      `select from repositories r join citus_shards s
         on s.shardid = get_shard_id_for_distribution_column('contributions', r.id)
       where s.nodeport = ${new URL(worker).port}`,
    );
    assert.ok(away.length > 0 && away.length < 16, `${away.length} of 16 repositories are on the worker`);
    await cluster.crash(1);
    await fixture.receive(...Array.from({ length: 16 }, (_, index) => [repositoryHidden(String(index + 1))]));
    await fixture.applyUntil(away.length);
    await cluster.restart(1);
    await fixture.applyUntil(0);
    assert.deepEqual(fixture.failures, []);
    const { rows: hidden } = await query(databaseUrl, 'select from repositories where deleted_at is not null');
    assert.equal(hidden.length, 16);
  });
});

async function query(url: string, statement: string): Promise<{ rows: Record<string, unknown>[] }> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}
