import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Simulator, startSimulator } from '../../simulators/github/simulator.ts';
import { readLivingNodes } from '../../src/app/doctor/store.ts';
import { openUnchanged } from '../../src/database/connections/open.ts';
import { isRunning } from '../../src/database/embedded/cluster.ts';
import { announce } from '../../src/database/queue/announcements.ts';
import { advisoryLocks } from '../../src/database/schema/advisory-locks.ts';
import { createTestDatabase } from '../database.ts';
import { findPort } from '../find-port.ts';
import { until } from '../time.ts';
import { connectToBoth, type Received, send, startTestWorkers, type TestWorkers } from './start-workers.ts';

const accountPath = '/v1/github/entities/ada-lovelace';

/** Waits until a lookup has stored an account. */
async function storeAccount(url: string, name = 'ada-lovelace'): Promise<string> {
  const address = `${url}/v1/github/entities/${name}`;
  await until(async () => ((await send(address)).status === 200 ? true : undefined), 'the account is known');
  return address;
}

/** Returns the sum of the series of a metric that have all of the given labels. */
async function readMetric(url: string, name: string, labels = ''): Promise<number> {
  const lines = (await (await fetch(url)).text()).split('\n');
  const values = lines.filter((line) => line.startsWith(name) && line.includes(labels)).map((line) => line.split(' '));
  return values.reduce((sum, words) => sum + Number(words.at(-1)), 0);
}

describe('several processes behind one port', () => {
  const ending = new AsyncDisposableStack();
  let simulator: Simulator;
  /** The processes of the first tests, which share an embedded database; the last of these tests stops them. */
  let workers: TestWorkers;
  const hasDatabase = (): boolean => existsSync(join(workers.dataDir, 'postgres', 'postmaster.pid'));
  before(async () => {
    simulator = ending.use(await startSimulator());
    workers = ending.use(await startTestWorkers(simulator));
  });
  after(() => ending.disposeAsync());

  it('drop the cached responses of an account that changed, and have common metrics that do not fall when one ends', async () => {
    const address = await storeAccount(workers.service.url);
    using agents = await connectToBoth(workers.service.url);
    const texts = async (): Promise<string[]> =>
      Promise.all(agents.map(async (agent) => (await send(address, agent)).text));
    const [before] = await texts();
    const database = await openUnchanged({ databaseUrl: undefined, dataDir: workers.dataDir, log: () => {} });
    try {
      assert.equal(await readLivingNodes(database.connection), 1);
      await database.connection.transaction().execute(async (transaction) => {
        const { id } = await transaction
          .updateTable('accounts')
          .set({ display_name: 'Changed' })
          .where('name', '=', 'ada-lovelace')
          .returning('id')
          .executeTakeFirstOrThrow();
        await announce(transaction, { kind: 'account', key: id });
      });
    } finally {
      await database.close();
    }
    assert.ok(!String(before).includes('Changed'));
    await until(
      async () => ((await texts()).every((text) => text.includes('Changed')) ? true : undefined),
      'both processes send the change',
    );

    const { metricsUrl } = workers;
    const warm = (): Promise<number> => readMetric(metricsUrl, 'plaudit_http_responses_total', 'route="warm"');
    const counts = (): Promise<number> => readMetric(metricsUrl, 'plaudit_http_response_seconds_count');
    for (const agent of agents) await send(address, agent);
    const sentBefore = await warm();
    for (const agent of agents) for (let sent = 0; sent < 5; sent += 1) await send(address, agent);
    assert.equal(await warm(), sentBefore + 10);
    assert.equal(await readMetric(metricsUrl, 'plaudit_ready '), 1);
    assert.equal(await readMetric(metricsUrl, 'plaudit_build_info'), 1);
    assert.ok((await readMetric(metricsUrl, 'process_start_time_seconds')) * 1000 < Date.now());
    const drawn = await counts();
    assert.ok(drawn > 0);
    const countBefore = await readMetric(metricsUrl, 'plaudit_jobs{', 'task="correct_times",state="given_up"');
    assert.equal(countBefore, 0);
    process.kill(workers.pids('2')[0] ?? 0, 'SIGKILL');
    await until(
      async () => ((await warm()) >= sentBefore + 10 && workers.pids('2').length === 2 ? true : undefined),
      'sums',
    );
    assert.equal(await warm(), sentBefore + 10);
    assert.ok((await counts()) >= drawn);
    assert.equal(await readMetric(metricsUrl, 'plaudit_worker_replacements_total'), 1);
  });

  it('finish jobs when the process for jobs is killed, and keep the embedded database', async () => {
    const [pid = 0] = workers.pids('jobs');
    process.kill(pid, 'SIGKILL');
    await storeAccount(workers.service.url, 'grace-hopper');
    assert.equal(workers.pids('jobs').length, 2);
    assert.ok(hasDatabase());
  });

  it('respond to every request on other connections while one is killed, and to all that they received when stopped, which ends the database', async () => {
    const replacements = (): number => workers.service.lines.filter((line) => line.includes('is replaced')).length;
    const replacedBefore = replacements();
    const address = await storeAccount(workers.service.url);
    const before = await Promise.all(Array.from({ length: 20 }, () => send(address)));
    const processes = new Set(before.map(({ process }) => process));
    assert.equal(processes.size, 2);

    const [pid = 0] = workers.pids('1');
    // A process that hangs takes over no connection. Those that it was handed go to the other one when it ends.
    process.kill(pid, 'SIGSTOP');
    const received: Received[] = [];
    const sent = Array.from({ length: 20 }, async () => received.push(await send(address)));
    await until(async () => (received.length >= 10 ? true : undefined), 'the other process responds');
    process.kill(pid, 'SIGKILL');
    await Promise.all(sent);
    const replaced = new AbortController();
    const clients = Array.from({ length: 4 }, async () => {
      while (!replaced.signal.aborted) received.push(await send(address));
    });
    await until(
      async () => (received.some((response) => !processes.has(response.process)) ? true : undefined),
      'a new process responds',
    );
    replaced.abort();
    await Promise.all(clients);
    assert.deepEqual([...new Set(received.map(({ status }) => status))], [200]);
    assert.equal(workers.pids('1').length, 2);
    assert.ok(hasDatabase());
    assert.ok(workers.service.lines.some((line) => line.includes('ended by SIGKILL and is replaced')));

    using agents = await connectToBoth(workers.service.url);
    const statuses: number[] = [];
    const stopped = agents.map(async (agent) => {
      for (;;) {
        try {
          statuses.push((await send(address, agent)).status);
        } catch {
          return;
        }
      }
    });
    simulator.faults.add({ kind: 'slow', delayMs: 20_000, times: 1000 });
    const lookups = ['person-1', 'person-2'].map((name) => send(`${workers.service.url}/v1/github/entities/${name}`));
    await until(async () => (statuses.length > 20 ? true : undefined), 'clients receive responses');
    assert.equal(await workers.service.stop(), 0, workers.service.lines.join('\n'));
    await Promise.all(stopped);
    assert.deepEqual([...new Set(statuses)], [200]);
    for (const { status } of await Promise.all(lookups)) assert.equal(status, 202);
    simulator.faults.clear();
    assert.ok(!workers.service.lines.some((line) => line.includes('did not end in time')));
    assert.equal(replacements(), replacedBefore + 1, 'none ended by itself');
    assert.ok(!workers.pids('1').some(isRunning));
    assert.ok(!hasDatabase());
  });

  it('are not ready before the tables are migrated, show that they start, and end when the one that listens is killed', async () => {
    await using emptyDatabase = await createTestDatabase();
    const database = await openUnchanged({ databaseUrl: emptyDatabase.url, dataDir: '/nonexistent', log: () => {} });
    const client = await database.pool.connect();
    const port = await findPort();
    const url = `http://127.0.0.1:${port}`;
    try {
      await client.query('select pg_advisory_lock($1)', [advisoryLocks.migrations]);
      const starting = startTestWorkers(simulator, { DATABASE_URL: emptyDatabase.url, PORT: String(port) });
      starting.catch(() => {});
      const health = await until(async () => send(`${url}/healthz`).catch(() => undefined), 'the service listens');
      assert.equal(health.status, 200);
      assert.equal((await send(`${url}/readyz`)).status, 503);
      const card = await send(`${url}${accountPath}/contributions?format=svg`);
      assert.equal(card.status, 200);
      assert.match(card.text, /^<svg.*Not available just now/s);
      await client.query('select pg_advisory_unlock($1)', [advisoryLocks.migrations]);
      await using started = await starting;
      assert.equal(started.service.url, url);
      assert.equal((await send(`${url}/readyz`)).status, 200);

      await started.service.kill();
      await started.ended();
      await assert.rejects(fetch(`${url}/healthz`));
    } finally {
      client.release(true);
      await database.close();
    }
  });
});
