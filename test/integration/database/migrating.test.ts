import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { Client } from 'pg';
import type { Database } from '../../../src/database/connections/connection.ts';
import { openUnchanged } from '../../../src/database/connections/open.ts';
import { migrate, newestMigration } from '../../../src/database/migrations/migrate.ts';
import { type Migration, toBaseline } from '../../../src/database/migrations/migration.ts';
import { createTestDatabase } from '../../database.ts';
import { until } from '../../time.ts';

interface Opened extends AsyncDisposable {
  database: Database;
  /** Opens a session of its own. */
  connect: () => Promise<Client & AsyncDisposable>;
  query: <Row extends object>(statement: string) => Promise<Row[]>;
  /** Returns the name of the database. */
  name: () => Promise<string>;
}

async function openEmpty(): Promise<Opened> {
  const { url, ...created } = await createTestDatabase({ withTables: false });
  const database = await openUnchanged({ databaseUrl: url, dataDir: '/nonexistent', log: () => {} });
  const query = async <Row extends object>(statement: string): Promise<Row[]> =>
    (await database.pool.query<Row>(statement)).rows;
  return {
    database,
    query,
    name: async () => (await query<{ name: string }>('select current_database() as name'))[0]?.name ?? '',
    connect: async () => {
      const client = new Client({ connectionString: url });
      client.on('error', () => {});
      await client.connect();
      return Object.assign(client, { [Symbol.asyncDispose]: () => client.end().catch(() => {}) });
    },
    [Symbol.asyncDispose]: async () => {
      await database.close();
      await created[Symbol.asyncDispose]();
    },
  };
}

const rowsOfItems = 1000;
const rowsOfBatch = 100;

/** Creates a table of numbered items. */
const createItems: Migration = {
  parts: [
    {
      sql: [
        sql`create table items (id integer primary key, changes integer not null default 0)`,
        sql`insert into items (id) select generate_series(1, ${sql.lit(rowsOfItems)})`,
      ],
    },
  ],
};

/** Changes the next batch of items. */
async function changeItems(
  transaction: Kysely<unknown>,
  after: string | null,
): Promise<{ next: string | null; rows: number }> {
  const { rows } = await sql<{ id: number }>`
    update items set changes = changes + 1
    where id in (select id from items where id > ${Number(after ?? 0)} order by id limit ${sql.lit(rowsOfBatch)})
    returning id`.execute(transaction);
  return { next: rows.length === 0 ? null : String(Math.max(...rows.map(({ id }) => id))), rows: rows.length };
}

const indexOnChanges = { name: 'items_changes', on: sql`items (changes)` };
const hasValidIndex = "select indisvalid as valid from pg_index where indexrelid = 'items_changes'::regclass";
const recorded = "select name from applied_migrations where name not like 'baseline-%' order by name";

const refusal = {
  code: 'misconfigured',
  message:
    'The database has the tables of another version. Run `plaudit export FILE` of the version that wrote the database, then `plaudit import FILE` of this one with a new database',
};

describe('application of migrations', () => {
  it('keeps a migration when a later one fails, which the next start applies as a whole', async () => {
    await using opened = await openEmpty();
    const broken = { sql: [sql`create table other ()`, sql`select 1 / 0`] };
    const migrations = { '1': createItems, '2': { parts: [broken] } };
    await assert.rejects(migrate(opened.database, { migrations }), /division by zero/);
    assert.deepEqual(await opened.query(recorded), [{ name: '1' }]);
    await migrate(opened.database, {
      migrations: { ...migrations, '2': { parts: [{ sql: [broken.sql[0] ?? sql``] }] } },
    });
    assert.deepEqual(await opened.query(recorded), [{ name: '1' }, { name: '2' }]);
  });

  it('continues after a kill between any two parts or batches, and changes each row once', async () => {
    await using opened = await openEmpty();
    let steps = 0;
    let killAt = 0;
    /** Ends the session that migrates, as the kill of its node does. */
    const mayBeKilled = async (transaction: Kysely<unknown>): Promise<void> => {
      steps += 1;
      if (steps === killAt) await sql`select pg_terminate_backend(pg_backend_pid())`.execute(transaction);
    };
    const migrations: Record<string, Migration> = {
      '1': createItems,
      '2': {
        parts: [
          { sql: [sql`alter table items add column note text`] },
          {
            backfill: {
              table: 'items',
              batch: async (transaction, after) => {
                const batch = await changeItems(transaction, after);
                await mayBeKilled(transaction);
                return batch;
              },
            },
          },
          { concurrently: indexOnChanges },
          {
            backfill: {
              table: 'items',
              batch: async (transaction) => {
                await mayBeKilled(transaction);
                return { next: null, rows: 0 };
              },
            },
          },
        ],
      },
    };
    let kills = 0;
    for (;;) {
      steps = 0;
      killAt = 2;
      // Each start makes one step and is killed in the next, until only one step is left.
      const error = await migrate(opened.database, { migrations }).catch((cause: unknown) => cause ?? true);
      if (error === undefined) break;
      kills += 1;
    }
    assert.ok(kills > rowsOfItems / rowsOfBatch, `${kills} kills`);
    assert.deepEqual(await opened.query('select distinct changes from items'), [{ changes: 1 }]);
    assert.deepEqual(await opened.query(hasValidIndex), [{ valid: true }]);
    assert.deepEqual(await opened.query('select * from migration_parts'), []);
    assert.deepEqual(await opened.query(recorded), [{ name: '1' }, { name: '2' }]);
  });

  it('builds an index again that an interrupted build left invalid', async () => {
    await using opened = await openEmpty();
    await migrate(opened.database, { migrations: { '1': createItems } });
    await assert.rejects(opened.query('create unique index concurrently items_changes on items (changes)'));
    assert.deepEqual(await opened.query(hasValidIndex), [{ valid: false }]);
    await migrate(opened.database, {
      migrations: { '1': createItems, '2': { parts: [{ concurrently: indexOnChanges }] } },
    });
    assert.deepEqual(await opened.query(hasValidIndex), [{ valid: true }]);
  });

  it('succeeds against a session that takes its locks in the opposite order', async () => {
    await using opened = await openEmpty();
    await opened.query('create table one ()');
    await opened.query('create table other ()');
    await opened.query(`alter database ${await opened.name()} set deadlock_timeout = '50ms'`);
    await using rival = await opened.connect();
    // The rival waits without looking for deadlocks, so that the migration is the one that PostgreSQL cancels.
    await rival.query("set deadlock_timeout = '1h'");
    await rival.query('begin; lock table other in row exclusive mode');
    let attempts = 0;
    let rivalry: Promise<unknown> | undefined;
    const lines: string[] = [];
    const up = async (transaction: Kysely<unknown>): Promise<void> => {
      attempts += 1;
      await sql`alter table one add column a integer`.execute(transaction);
      rivalry ??= rival.query('lock table one in row exclusive mode').then(() => rival.query('commit'));
      await sql`alter table other add column a integer`.execute(transaction);
    };
    await migrate(opened.database, { migrations: { '1': { up } }, log: (line) => void lines.push(line) });
    await rivalry;
    assert.equal(attempts, 2);
    assert.deepEqual(await opened.query(recorded), [{ name: '1' }]);
    assert.ok(
      lines.includes('migration 1 (1 of 1) waits for locks of other sessions and is tried again'),
      lines.join(),
    );
  });

  it('lets other sessions use a table while it waits for one that keeps the table locked', async () => {
    await using opened = await openEmpty();
    await migrate(opened.database, { migrations: { '1': createItems } });
    await using reader = await opened.connect();
    await reader.query('begin; select count(*) from items');
    const migrated = migrate(opened.database, {
      migrations: { '1': createItems, '2': { parts: [{ sql: [sql`alter table items add column note text`] }] } },
      lockTimeoutMs: 200,
    });
    const waiting = "select 1 from pg_locks where relation = 'items'::regclass and not granted";
    await until(async () => (await opened.query(waiting)).length > 0 || undefined, 'the migration waits');
    // This reader stands behind the migration, and is served because the migration gives up.
    assert.equal((await opened.query('select 1 from items')).length, rowsOfItems);
    await reader.query('commit');
    await migrated;
    assert.deepEqual(await opened.query(recorded), [{ name: '1' }, { name: '2' }]);
  });

  it('has no time limit, also where the database has one', async () => {
    await using opened = await openEmpty();
    await opened.query(`alter database ${await opened.name()} set statement_timeout = '100ms'`);
    await migrate(opened.database, { migrations: { '1': { parts: [{ sql: [sql`select pg_sleep(0.3)`] }] } } });
    assert.deepEqual(await opened.query(recorded), [{ name: '1' }]);
  });

  it('runs on one node while another waits, says so, and does not wait for it to build an index', async () => {
    await using opened = await openEmpty();
    await migrate(opened.database, { migrations: { '1': createItems } });
    const lines: string[] = [];
    const isWaiting = Promise.withResolvers<void>();
    let batches = 0;
    const migrations: Record<string, Migration> = {
      '1': createItems,
      '2': {
        parts: [
          {
            backfill: {
              table: 'items',
              batch: async (transaction, after) => {
                batches += 1;
                await isWaiting.promise;
                return changeItems(transaction, after);
              },
            },
          },
          { concurrently: indexOnChanges },
        ],
      },
    };
    const first = migrate(opened.database, { migrations, logEveryMs: 20, log: (line) => void lines.push(line) });
    await until(async () => (batches > 0 ? true : undefined), 'the first node migrates');
    let waits = 0;
    const second = migrate(opened.database, {
      migrations,
      logEveryMs: 20,
      log: (line) => {
        assert.equal(line, 'another node is migrating the database; waiting');
        waits += 1;
        if (waits > 2) isWaiting.resolve();
      },
    });
    await Promise.all([first, second]);
    assert.equal(batches, rowsOfItems / rowsOfBatch + 1);
    assert.deepEqual(await opened.query('select distinct changes from items'), [{ changes: 1 }]);
    assert.equal(lines[0], 'migration 2 (1 of 1)');
    assert.equal(lines[1], 'migration 2 (1 of 1), part 1 of 2');
    assert.match(lines[2] ?? '', /^migration 2 \(1 of 1\), part 1 of 2, 0 rows of items: running for \d+ s$/);
  });

  it('makes the tables of an empty database with the record of their baseline, or nothing', async () => {
    await using opened = await openEmpty();
    const tables = readFileSync(new URL('../../../src/database/baseline.sql', import.meta.url), 'utf8');
    const broken = toBaseline(`${tables};\nselect 1 / 0`);
    await assert.rejects(migrate(opened.database, { baseline: broken }), /division by zero/);
    assert.deepEqual(await opened.query("select to_regclass('accounts') as made"), [{ made: null }]);
    await migrate(opened.database, { baseline: toBaseline(tables) });
    assert.deepEqual(await opened.query('select name from applied_migrations'), [{ name: newestMigration() }]);
  });

  it('refuses a database with another baseline, and names export and import', async () => {
    await using opened = await openEmpty();
    await migrate(opened.database);
    await opened.query("update applied_migrations set name = 'baseline-000000000000'");
    await assert.rejects(migrate(opened.database), refusal);
  });

  it('refuses a database from before the baseline, and changes nothing in it', async () => {
    await using opened = await openEmpty();
    await opened.query(
      'create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)',
    );
    await opened.query("insert into kysely_migration values ('0009-details-on-demand', '2026')");
    await assert.rejects(migrate(opened.database), refusal);
    assert.deepEqual(
      await opened.query(
        "select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'",
      ),
      [{ name: 'kysely_migration' }],
    );
  });

  it('goes on with its own tables where an older node was started on them by mistake', async () => {
    await using opened = await openEmpty();
    await migrate(opened.database);
    await opened.query(
      'create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)',
    );
    await migrate(opened.database);
  });

  it('refuses a database of a newer release', async () => {
    await using opened = await openEmpty();
    await migrate(opened.database, { migrations: { '1': createItems, '2': { parts: [] } } });
    await assert.rejects(migrate(opened.database, { migrations: { '1': createItems } }), /written by a newer release/);
  });
});
