import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { checkLocks } from '../../../src/app/doctor/checks/database.ts';
import { registerLockMetrics } from '../../../src/database/connections/metrics.ts';
import { openUnchanged, readServerVersion } from '../../../src/database/connections/open.ts';
import { breakOffSilent, openPool } from '../../../src/database/connections/pool.ts';
import { inOneTransaction } from '../../../src/database/connections/transaction.ts';
import { atOneMoment } from '../../../src/database/reads/stream-rows.ts';
import { createTestDatabase, openTestDatabase } from '../../database.ts';
import { linkTo } from '../../database-link.ts';
import { until } from '../../time.ts';

const limits = { maxConnections: 2, statementTimeoutMs: 600_000 };
const pause = sql<{ pause: string }>`select current_setting('idle_in_transaction_session_timeout') as pause`;
const lock = sql`lock table announcements in exclusive mode`;

describe('transactions whose client has vanished', () => {
  for (const [kind, ownConfig] of [
    ['a session', {}],
    ['behind a pooler', { statement_timeout: false as const }],
  ] as const) {
    it(`end after a bounded pause: ${kind}`, async () => {
      await using opened = await openTestDatabase();
      const pool = openPool({ ...opened.database.clientConfig, ...ownConfig }, limits);
      try {
        const inside = await inOneTransaction(pool.connection, (transaction) => pause.execute(transaction));
        assert.deepEqual(inside.rows, [{ pause: '20s' }]);
        const isolated = await pool.connection
          .transaction()
          .setIsolationLevel('repeatable read')
          .execute((transaction) => pause.execute(transaction));
        assert.deepEqual(isolated.rows, [{ pause: '20s' }]);
        const outside = await pause.execute(pool.connection);
        // A pooler lends the session to others.
        assert.deepEqual(outside.rows, [{ pause: kind === 'a session' ? '20s' : '0' }]);
      } finally {
        await pool.close();
      }
    });
  }

  for (const [kind, ownConfig] of [
    ['a session', {}],
    ['behind a pooler', { statement_timeout: false as const }],
  ] as const) {
    it(`are ended as a whole, however many statements they have: ${kind}`, async () => {
      await using opened = await openTestDatabase();
      const config = { ...opened.database.clientConfig, ...ownConfig };
      const pool = openPool(config, { ...limits, transactionTimeoutMs: 300 });
      try {
        for (const seconds of [600, 0.01]) {
          const endless = inOneTransaction(pool.connection, async (transaction) => {
            await lock.execute(transaction);
            for (;;) await sql`select pg_sleep(${seconds})`.execute(transaction);
          });
          await assert.rejects(endless);
          await inOneTransaction(opened.database.connection, (transaction) => lock.execute(transaction));
        }
        const reading = pool.connection.transaction().setAccessMode('read only');
        await reading.execute((transaction) => sql`select pg_sleep(0.5)`.execute(transaction));
      } finally {
        await pool.close();
      }
    });
  }

  it('are limited by the server too, where it knows such a limit', async () => {
    await using opened = await openTestDatabase();
    const { connection, pool } = opened.database;
    const { rows } = await pool.query<{ setting: string }>(
      `select setting || unit as setting from pg_settings where name = 'transaction_timeout'`,
    );
    assert.deepEqual(rows, (await readServerVersion(pool)).number >= 170_000 ? [{ setting: '300000ms' }] : []);
    const read = async function* (transaction: typeof connection): AsyncGenerator<string> {
      const found = await sql<{ limit: string }>`
        select setting as limit from pg_settings where name = 'transaction_timeout'`.execute(transaction);
      yield found.rows[0]?.limit ?? '0';
    };
    for await (const found of atOneMoment(connection, read))
      assert.equal(found, '0', 'exports take as long as they take');
  });

  it('free their locks while their connection is mute', async () => {
    await using created = await createTestDatabase();
    await using link = await linkTo(created.url);
    const muted = await openUnchanged({ databaseUrl: link.url, dataDir: '/nonexistent', log: () => {} });
    const direct = await openUnchanged({ databaseUrl: created.url, dataDir: '/nonexistent', log: () => {} });
    const stop = breakOffSilent(muted, direct.pool, 100);
    try {
      const holding = inOneTransaction(muted.connection, async (transaction) => {
        await lock.execute(transaction);
        link.silence('existing');
        await sql`select 1`.execute(transaction);
      });
      await assert.rejects(holding, /connection error|Connection terminated/);
      await inOneTransaction(direct.connection, (transaction) => lock.execute(transaction));
    } finally {
      stop();
      await muted.close();
      await direct.close();
    }
  });

  it('keep statements that the server still runs', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const stop = breakOffSilent(database, database.pool, 50);
    try {
      await database.pool.query('select pg_sleep(1)');
    } finally {
      stop();
    }
  });

  it('leave more time to slow readers of a stream', async () => {
    await using opened = await openTestDatabase();
    const read = async function* (transaction: typeof opened.database.connection): AsyncGenerator<string> {
      yield (await pause.execute(transaction)).rows[0]?.pause ?? '';
    };
    for await (const found of atOneMoment(opened.database.connection, read)) assert.equal(found, '10min');
  });
});

describe('transactions that hold others up', () => {
  it('are named with their session, their lock and those that wait', async () => {
    await using opened = await openTestDatabase();
    const { connection, pool } = opened.database;
    const holder = await pool.connect();
    const registry = new Registry();
    registerLockMetrics(registry, connection);
    try {
      await holder.query('begin; lock table announcements in exclusive mode');
      const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
      const pid = rows[0]?.pid;
      const waiting = sql`delete from announcements`.execute(connection);
      const [finding] = await until(async () => {
        const found = await checkLocks(connection, new Date());
        return found.length > 0 ? found : undefined;
      }, 'a session waits for five seconds');
      assert.equal(finding?.code, 'transaction_blocking');
      assert.match(
        finding?.message ?? '',
        new RegExp(
          `^1 session waits up to . seconds for a lock \\(announcements\\) of the transaction in session ${pid} of plaudit, ` +
            'which began . seconds ago and is idle in transaction: delete from announcements$',
        ),
      );
      assert.match(finding?.remedy ?? '', new RegExp(`pg_terminate_backend\\(${pid}\\)`));
      const metrics = await registry.metrics();
      assert.match(
        metrics,
        new RegExp(`lock_wait_seconds\\{pid="${pid}",state="idle in transaction",lock="announcements"\\}`),
      );
      await holder.query('rollback');
      await waiting;
      assert.deepEqual(await checkLocks(connection, new Date()), []);
    } finally {
      holder.release(true);
    }
  });

  it('name the table of a row that others wait for', async () => {
    await using opened = await openTestDatabase();
    const { connection, pool } = opened.database;
    await connection.insertInto('workers').values({ id: 'held', node: 1 }).execute();
    const holder = await pool.connect();
    try {
      await holder.query(`begin; update workers set node = 2 where id = 'held'`);
      const waiting = connection.deleteFrom('workers').where('id', '=', 'held').execute();
      const [finding] = await until(async () => {
        const found = await checkLocks(connection, new Date());
        return found.length > 0 ? found : undefined;
      }, 'a session waits for five seconds');
      assert.equal(finding?.subject, 'workers');
      await holder.query('rollback');
      await waiting;
    } finally {
      holder.release(true);
    }
  });
});
