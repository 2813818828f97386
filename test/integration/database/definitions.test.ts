import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import type { Database } from '../../../src/database/connections/connection.ts';
import { openUnchanged } from '../../../src/database/connections/open.ts';
import { migrate } from '../../../src/database/migrations/migrate.ts';
import { type Definition, parseDefinitions, readDefinitions } from '../../../src/database/schema/definitions.ts';
import { createTestDatabase, isOnCluster } from '../../database.ts';
import { until } from '../../time.ts';
import { functionsAndTriggers, type Listed } from './listed-definitions.ts';

interface Opened extends AsyncDisposable {
  database: Database;
  /** Opens a session of its own. */
  connect: () => Promise<Client & AsyncDisposable>;
  run: (statement: string) => Promise<void>;
  list: () => Promise<Listed[]>;
}

async function open(): Promise<Opened> {
  const { url, ...created } = await createTestDatabase();
  const database = await openUnchanged({ databaseUrl: url, dataDir: '/nonexistent', log: () => {} });
  return {
    database,
    connect: async () => {
      const client = new Client({ connectionString: url });
      client.on('error', () => {});
      await client.connect();
      return Object.assign(client, { [Symbol.asyncDispose]: () => client.end().catch(() => {}) });
    },
    run: async (statement) => void (await database.pool.query(statement)),
    list: async () => (await database.pool.query<Listed>(functionsAndTriggers)).rows,
    [Symbol.asyncDispose]: async () => {
      await database.close();
      await created[Symbol.asyncDispose]();
    },
  };
}

function listDefinitions(listed: readonly Listed[]): string[] {
  return listed.map(({ definition }) => definition);
}

/** Returns the names of those that changed between two lists. */
function changesBetween(before: readonly Listed[], after: readonly Listed[]): string[] {
  const versions = new Map(before.map(({ name, version }) => [name, version]));
  const names = new Set(after.map(({ name }) => name));
  return [
    ...after.flatMap(({ name, version }) => (versions.get(name) === version ? [] : [name])),
    ...before.flatMap(({ name }) => (names.has(name) ? [] : [`no ${name}`])),
  ].toSorted();
}

const definitions = readDefinitions();

/** Returns the definitions of this release, one of them with another text. */
function changed(object: string, from: string, to: string): Definition[] {
  const original = definitions.find((definition) => definition.object === object);
  assert.ok(original !== undefined && original.statement.includes(from));
  const others = definitions.filter((definition) => definition !== original);
  return [...others, ...parseDefinitions(original.statement.replace(from, to))];
}

const without = (...objects: string[]): Definition[] => definitions.filter(({ object }) => !objects.includes(object));

// A cluster has the functions plan with values.
describe('functions and triggers of a database', { skip: isOnCluster }, () => {
  it('are those of the files alone, with the same definitions', async () => {
    await using opened = await open();
    const migrated = await opened.list();
    await migrate(opened.database, { definitions: [] });
    assert.deepEqual(await opened.list(), [], 'a migration made them');
    await migrate(opened.database);
    assert.deepEqual(listDefinitions(await opened.list()), listDefinitions(migrated));
  });

  it('stay untouched where their definitions are the same', async () => {
    await using opened = await open();
    const before = await opened.list();
    await migrate(opened.database);
    assert.deepEqual(await opened.list(), before);
    const definitions = changed('function announce_awards()', 'max_announced() + 1', 'max_announced() + 2');
    await migrate(opened.database, { definitions });
    const after = await opened.list();
    assert.deepEqual(changesBetween(before, after), ['announce_awards']);
    assert.match(after.find(({ name }) => name === 'announce_awards')?.definition ?? '', /max_announced\(\) \+ 2/);
  });

  it('change without a wait for writers of tables whose triggers stay', async () => {
    await using opened = await open();
    await using writer = await opened.connect();
    await writer.query('begin; lock table contributions, commits, accounts, repositories in row exclusive mode');
    const definitions = changed('trigger awards_updated on awards', 'after update', 'after  update');
    const lines: string[] = [];
    await migrate(opened.database, { definitions, log: (line) => void lines.push(line) });
    await writer.query('commit');
    assert.deepEqual(lines, []);
  });

  it('wait for a writer of their table, which others can use meanwhile', async () => {
    await using opened = await open();
    const before = await opened.list();
    await using writer = await opened.connect();
    await writer.query('begin; lock table awards in row exclusive mode');
    const lines: string[] = [];
    const definitions = changed('trigger awards_updated on awards', 'after update', 'after  update');
    const log = (line: string): void => void lines.push(line);
    const migrated = migrate(opened.database, { definitions, log, lockTimeoutMs: 200 });
    const waiting = "select 1 from pg_locks where relation = 'awards'::regclass and not granted";
    await until(async () => (await opened.database.pool.query(waiting)).rows.length > 0 || undefined, 'it waits');
    await opened.run('delete from awards where false');
    await writer.query('commit');
    await migrated;
    assert.deepEqual(changesBetween(before, await opened.list()), ['awards_updated']);
    assert.ok(
      lines.every((line) => line.startsWith('the definition of functions and triggers waits')),
      lines.join(),
    );
  });

  it('are removed when nothing defines them any more; those of others stay', async () => {
    await using opened = await open();
    const before = await opened.list();
    await opened.run(`
      create function of_others() returns trigger language plpgsql as $$ begin return null; end $$;
      create trigger of_others after insert on awards for each statement execute function of_others()`);
    const definitions = without(
      'function drop_image()',
      'trigger accounts_changed_image on accounts',
      'trigger accounts_deleted_image on accounts',
    );
    await migrate(opened.database, { definitions });
    assert.deepEqual(changesBetween(before, await opened.list()), [
      'no accounts_changed_image',
      'no accounts_deleted_image',
      'no drop_image',
      'of_others',
      'of_others',
    ]);
  });

  it('replace a function by one with other parameters', async () => {
    await using opened = await open();
    const object = 'function hold_repository(repository uuid)';
    const definitions = changed(object, 'repository uuid', 'repository uuid, unused integer');
    await migrate(opened.database, { definitions });
    const found = (await opened.list()).filter(({ name }) => name === 'hold_repository');
    assert.equal(found.length, 1);
    assert.match(found[0]?.definition ?? '', /repository uuid, unused integer/);
  });

  it('return when they or their table were made again', async () => {
    await using opened = await open();
    const before = await opened.list();
    await opened.run(`
      drop function drop_image() cascade;
      create table others (like awards including all);
      drop table awards cascade;
      alter table others rename to awards`);
    await migrate(opened.database);
    assert.deepEqual(listDefinitions(await opened.list()), listDefinitions(before));
  });

  it('change all or none', async () => {
    await using opened = await open();
    const before = await opened.list();
    const definitions = [
      ...changed('function announce_awards()', 'max_announced() + 1', 'max_announced() + 2'),
      ...parseDefinitions(
        'create or replace trigger other after insert on no_table execute function announce_awards()',
      ),
    ];
    await assert.rejects(migrate(opened.database, { definitions }), /no_table/);
    assert.deepEqual(await opened.list(), before);
  });

  it('are those of the last release that started', async () => {
    await using opened = await open();
    const before = await opened.list();
    await migrate(opened.database, {
      definitions: changed('function announce_awards()', 'max_announced() + 1', 'max_announced() + 2'),
    });
    await migrate(opened.database);
    assert.deepEqual(listDefinitions(await opened.list()), listDefinitions(before));
  });
});
