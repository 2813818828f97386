import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import {
  createJobMetrics,
  createPoolMetrics,
  registerQueueMetrics,
} from '../../../src/database/connections/metrics.ts';
import { openPool } from '../../../src/database/connections/pool.ts';
import { addJob } from '../../../src/database/queue/added-jobs.ts';
import { startQueue, type Task } from '../../../src/database/queue/queue.ts';
import { openTestDatabase } from '../../database.ts';
import { until } from '../../time.ts';

/** Returns the values of a metric by its labels, without the metrics that are 0. */
async function findValues(registry: Registry, name: string): Promise<Record<string, number>> {
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`));
  const pairs = lines.map((line) => [line.slice(name.length, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]);
  return Object.fromEntries(pairs.filter(([, value]) => value !== 0));
}

describe('metrics of a pool', () => {
  it('count statements, their failures too, and waits for connections', async () => {
    await using opened = await openTestDatabase();
    const registry = new Registry();
    const observer = createPoolMetrics(registry)('requests');
    const pool = openPool(opened.database.clientConfig, { maxConnections: 1, statementTimeoutMs: 60_000, observer });
    const statements = (): Promise<Record<string, number>> =>
      findValues(registry, 'plaudit_database_statement_seconds_count');
    const waits = (): Promise<Record<string, number>> => findValues(registry, 'plaudit_database_wait_seconds_count');
    const connections = (): Promise<Record<string, number>> => findValues(registry, 'plaudit_database_connections');
    try {
      await pool.pool.query('select 1');
      await sql`select 2`.execute(pool.connection);
      await assert.rejects(sql`select 1 / 0`.execute(pool.connection));
      assert.deepEqual(await statements(), { '{pool="requests"}': 3 });
      assert.deepEqual(await waits(), { '{pool="requests"}': 3 });
      assert.deepEqual(await connections(), { '{pool="requests",state="idle"}': 1 });

      const client = await pool.pool.connect();
      const waiting = pool.pool.query('select 3');
      assert.deepEqual(await connections(), {
        '{pool="requests",state="busy"}': 1,
        '{pool="requests",state="waiting"}': 1,
      });
      client.release();
      await waiting;
      assert.deepEqual(await statements(), { '{pool="requests"}': 4 });
    } finally {
      await pool.close();
    }
  });
});

describe('metrics of jobs', () => {
  it('report the queue by task and state, and the wait of the oldest due job', async () => {
    await using opened = await openTestDatabase();
    const { connection } = opened.database;
    const registry = new Registry();
    registerQueueMetrics(registry, connection);
    const add = (key: string, runAt?: Date): Promise<void> =>
      addJob(connection, {
        task: 'collect',
        payload: { name: 'acme/engine' },
        key,
        priority: 0,
        ...(runAt && { runAt }),
      });
    const hourMs = 3_600_000;
    await add('old', new Date(Date.now() - 2 * hourMs));
    await add('due');
    await add('delayed', new Date(Date.now() + hourMs));
    await add('running');
    await add('given up');
    const change = (key: string, assignment: ReturnType<typeof sql>): Promise<unknown> =>
      sql`update graphile_worker._private_jobs set ${assignment} where key = ${key}`.execute(connection);
    await change('running', sql`locked_at = now(), locked_by = 'somebody'`);
    await change('given up', sql`attempts = max_attempts, last_error = 'acme/engine'`);
    assert.deepEqual(await findValues(registry, 'plaudit_jobs'), {
      '{task="collect",state="due"}': 2,
      '{task="collect",state="running"}': 1,
      '{task="collect",state="delayed"}': 1,
      '{task="collect",state="given_up"}': 1,
    });
    const { '{task="collect"}': longest = 0 } = await findValues(registry, 'plaudit_jobs_longest_wait_seconds');
    assert.equal(Math.floor((longest * 1000) / hourMs), 2);
  });

  it('count the runs of each task by their outcome', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const registry = new Registry();
    const tasks: Record<string, Task> = {
      good: { urgency: 'interactive', run: async () => {} },
      bad: { urgency: 'background', run: () => Promise.reject(new Error('acme/engine')) },
      broken: { urgency: 'background', run: () => fail('57P01') },
      full: { urgency: 'background', run: () => fail('53100') },
    };
    const fail = async (code: string): Promise<void> => {
      await sql`do ${sql.lit(`begin raise sqlstate '${code}'; end`)}`.execute(database.connection);
    };
    const queue = await startQueue({ database, node: 1, tasks, onEnd: createJobMetrics(registry), log: () => {} });
    try {
      for (const task of Object.keys(tasks)) {
        await addJob(database.connection, { task, payload: {}, key: task, priority: 0 });
      }
      const runs = await until(async () => {
        const seen = await findValues(registry, 'plaudit_job_seconds_count');
        return Object.keys(seen).length === 4 ? seen : undefined;
      }, 'all jobs have run');
      assert.deepEqual(runs, {
        '{task="good",outcome="done"}': 1,
        '{task="bad",outcome="failed"}': 1,
        '{task="broken",outcome="returned"}': 1,
        '{task="full",outcome="failed"}': 1,
      });
    } finally {
      await queue.stop();
    }
  });
});
