import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { openDatabase } from '../../../src/database/connections/open.ts';
import { openReplica } from '../../../src/database/reads/replica.ts';
import { openRequestPool } from '../../../src/database/reads/request-pool.ts';
import { withinScope } from '../../../src/database/reads/statement-scope.ts';
import { newName } from '../../database-server.ts';
import { type ReplicatedServer, startReplicatedServer } from '../../servers/replicated.ts';
import { until } from '../../time.ts';

let server: ReplicatedServer;

/** Opens the connections of requests of a node to which the primary announced a place of its log. */
async function openPools(databaseUrl: string, neededLsn: () => number | undefined) {
  const database = await openDatabase({
    databaseUrl,
    databaseReplicaUrl: server.standby.urlOf(databaseUrl),
    dataDir: '/nonexistent',
    log: () => {},
  });
  const outcomes: string[] = [];
  const opened = Promise.withResolvers<void>();
  const limits = { maxConnections: 2, statementTimeoutMs: 60_000 };
  const replica =
    (await openReplica(database, {
      ...limits,
      neededLsn,
      observer: {
        pool: { onOpen: () => {}, onWait: () => {}, onStatement: () => {} },
        onOpen: () => {},
        onRead: (outcome) => void outcomes.push(outcome),
      },
      log: () => opened.resolve(),
    })) ?? assert.fail();
  await opened.promise;
  const requests = openRequestPool(database.clientConfig, limits, replica);
  const ending = new AbortController();
  return {
    database,
    outcomes,
    ending,
    /** Runs work that may read from the replica. */
    within: <Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> =>
      withinScope({ signal: ending.signal, isExpensive: false, reads: { fromReplica: true } }, () =>
        work(requests.connection),
      ),
    [Symbol.asyncDispose]: async () => {
      await requests.close();
      await replica.close();
      await database.close();
    },
  };
}

const whereAmI = sql<{ isReplica: boolean }>`select pg_is_in_recovery() as "isReplica"`;

describe('statements for a replica', () => {
  before(async () => {
    server = await startReplicatedServer();
  });
  after(() => server[Symbol.asyncDispose]());

  it('run on the primary after a conflict with changes that the replica replays, and then all others of their scope', async () => {
    const databaseUrl = await server.create(newName('replicated'));
    await using opened = await openPools(databaseUrl, () => 0);
    const { pool } = opened.database;
    await pool.query('create table changing as select from generate_series(1, 1000)');
    await server.standby.untilReplayed(databaseUrl);
    const reading = opened.within(async (connection) => {
      // Sleeps on the replica alone.
      const { rows } = await sql<{ count: number }>`
        select count(*) from changing, (select case when pg_is_in_recovery() then pg_sleep(60) end) slept`.execute(
        connection,
      );
      const next = await whereAmI.execute(connection);
      return { count: rows[0]?.count, isReplica: next.rows[0]?.isReplica };
    });
    await until(
      async () =>
        server.standby.isTrue(
          databaseUrl,
          `exists (select from pg_stat_activity
      where query like '%from changing%' and wait_event = 'PgSleep')`,
        ),
      'the statement runs there',
    );
    await pool.query('delete from changing');
    await pool.query('vacuum changing');
    assert.deepEqual(await reading, { count: 0, isReplica: false });
    assert.deepEqual(opened.outcomes, ['failed']);
  });

  it('run on the primary in transactions, when they write, and until the replica has replayed what the node knows of', async () => {
    const databaseUrl = await server.create(newName('replicated'));
    let needed: number | undefined = 0;
    await using opened = await openPools(databaseUrl, () => needed);
    const isReplica = (): Promise<boolean | undefined> =>
      opened.within(async (connection) => (await whereAmI.execute(connection)).rows[0]?.isReplica);
    assert.equal(await isReplica(), true);
    needed = Number.MAX_SAFE_INTEGER;
    assert.equal(await isReplica(), false);
    needed = undefined;
    assert.equal(await isReplica(), false);
    needed = 0;
    assert.equal(await isReplica(), true);
    const written = await opened.within(async (connection) => {
      await sql`create table made ()`.execute(connection);
      return (await whereAmI.execute(connection)).rows[0]?.isReplica;
    });
    assert.equal(written, false);
    const within = await opened.within((connection) =>
      connection.transaction().execute(async (transaction) => (await whereAmI.execute(transaction)).rows[0]?.isReplica),
    );
    assert.equal(within, false);
    assert.deepEqual(opened.outcomes, ['read', 'behind', 'behind', 'read', 'failed']);
  });

  it('end there with their request', async () => {
    const databaseUrl = await server.create(newName('replicated'));
    await using opened = await openPools(databaseUrl, () => 0);
    const sleeping = `exists (select from pg_stat_activity where query like '%pg_sleep(50)%' and state = 'active'
      and pid <> pg_backend_pid())`;
    const reading = opened.within((connection) => sql`select pg_sleep(50)`.execute(connection));
    await until(() => server.standby.isTrue(databaseUrl, sleeping), 'the statement runs');
    opened.ending.abort();
    await assert.rejects(reading, { code: 'too_slow' });
    assert.equal(await server.standby.isTrue(databaseUrl, sleeping), undefined);
  });
});
