import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { backUpTo, exportTo, restoreFrom } from '../../src/app/commands/copy.ts';
import type { Io } from '../../src/app/commands/io.ts';
import { sync } from '../../src/app/commands/sync.ts';
import { openDatabase } from '../../src/database/connections/open.ts';
import { backUp, openSession } from '../../src/database/copy/backup.ts';
import { storedNames } from '../../src/database/copy/stored-tables.ts';
import { createTestDatabase, openTestDatabase } from '../database.ts';
import { newName, onServer } from '../database-server.ts';
import { snapshot } from '../integration/sync/snapshot.ts';
import { inProcess } from '../run-command.ts';
import { countRows, leftOut, listTables, query, readAll } from '../service/commands/stored-rows.ts';
import { openTwoDatabases } from '../service/commands/two-databases.ts';
import { startStoredService } from '../service/http/stored-service.ts';
import { until } from '../time.ts';

function toIo(databaseUrl: string, more: Partial<Io> = {}): Io {
  return { ...inProcess({ DATABASE_URL: databaseUrl, DATA_DIR: '/nonexistent' }), ...more };
}

async function backUpBytes(databaseUrl: string): Promise<Buffer> {
  const output = new PassThrough();
  const bytes = buffer(output);
  await backUpTo(toIo(databaseUrl, { output }), '-');
  output.end();
  return bytes;
}

function restoreBytes(databaseUrl: string, bytes: Buffer): Promise<void> {
  return restoreFrom(toIo(databaseUrl, { input: Readable.from([bytes]) }), '-');
}

/** Texts that the format of COPY escapes. */
const difficult = String.raw`\N \. \\ "` + "'\t\r\n\\.\n\v\b\f,\u{1f600}\u{e9}";

const addDifficultRows = `
  insert into accounts (id, provider, external_id, handle, type, name, description, named_at, created_at, updated_at)
  select gen_random_uuid(), 'github', 'difficult ' || n, '', 'user', 'difficult' || n,
    case n when 1 then $1 when 2 then '' when 3 then '\\N' else repeat('long', 100000) end, now(), now(), now()
  from generate_series(1, 4) n`;
const addOthers = `
  insert into secrets (name, value) values ('one', '\\x00ff0a5c');
  insert into lookups (key, state, retry_at) values ('one', 'absent', 'infinity');
  insert into opt_outs (key, person, opted_out_at) values ('\\x00', '\\x0a', now());
  insert into skipped_items (provider, account_id, stream, kind, reason, path, explanation, is_stored, is_counted, items,
      first_seen_at, seen_at)
    select 'github', id, 'account', 'label', 'refused', 'a', name, true, true, 1, now(), now() from accounts limit 2;
  select graphile_worker.add_job('check_file', '{"repositoryId": "one\\n"}', job_key => 'check', priority => 20,
    run_at => now() + interval '1 hour');
  select graphile_worker.add_job('refresh', '{}')`;

describe('plaudit backup and restore', () => {
  it('restores everything that a service needs, from which collecting goes on', async () => {
    await using fixture = await openTwoDatabases();
    const { original, copy, environment, target } = fixture;
    await sync(inProcess(environment(original.url)), target);
    const client = new Client({ connectionString: original.url });
    await client.connect();
    await client.query(addDifficultRows, [difficult]);
    await client.query(addOthers);
    await client.end();

    const file = fixture.pathOf('backup');
    await backUpTo(toIo(original.url), file);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    await restoreFrom(toIo(copy.url), file);
    assert.deepEqual(await readAll(copy.url), await readAll(original.url));

    await sync(inProcess(environment(copy.url)), target);
    assert.deepEqual((await snapshot(copy.url))['contributors'], (await snapshot(original.url))['contributors']);
  });

  it('decides about every table', async () => {
    await using database = await createTestDatabase();
    const tables = await listTables(database.url);
    assert.deepEqual(
      tables.filter((name) => !leftOut.has(name)),
      storedNames.toSorted(),
    );
  });

  it('restores the same responses, while the service runs', async () => {
    const now = new Date();
    await using service = await startStoredService({ holdsWorld: true, now: () => now });
    const bytes = await backUpBytes(service.databaseUrl);
    await using copy = await createTestDatabase();
    await restoreBytes(copy.url, bytes);
    await using restored = await startStoredService({ databaseUrl: copy.url, now: () => now });
    const [organization] = await query<{ name: string }>(
      copy.url,
      `select name from accounts where type = 'organization' and listed_at is not null order by name`,
    );
    for (const path of [
      'contributions',
      'contributions?format=svg',
      'contributors',
      'contributors?format=svg',
      'achievements',
    ]) {
      const address = `${organization?.name}/${path}`;
      const before = await service.get(address);
      const after = await restored.get(address);
      assert.equal(before.status, 200, path);
      assert.equal(after.text.replaceAll(restored.url, service.url), before.text, path);
    }
  });

  it('backs up one moment while other sessions write', async () => {
    await using opened = await openTestDatabase();
    await using copy = await createTestDatabase();
    const { database } = opened;
    const chunks: Buffer[] = [];
    let added = 0;
    for await (const chunk of backUp(database, { release: '1', signal: new AbortController().signal })) {
      chunks.push(chunk);
      added += 1;
      await database.pool.query(
        `with account as (
           insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
           values (gen_random_uuid(), 'github', $1, '', 'user', $1, now(), now(), now()) returning id),
         secret as (insert into secrets (name, value) values ($1, ''))
         insert into owner_deliveries (account_id, applied_at) select id, now() from account`,
        [String(added)],
      );
    }
    await restoreBytes(copy.url, Buffer.concat(chunks));
    const [counts] = await query<Record<string, number>>(
      copy.url,
      `select (select count(*)::integer from accounts) as accounts, (select count(*)::integer from secrets) as secrets,
         (select count(*)::integer from owner_deliveries) as deliveries`,
    );
    const { accounts = -1 } = counts ?? {};
    assert.deepEqual(counts, { accounts, secrets: accounts, deliveries: accounts });
    assert.ok(accounts < added);
  });

  it('leaves the database empty when the backup is cut short, damaged or interrupted', async () => {
    await using service = await startStoredService({ holdsWorld: true });
    await using copy = await createTestDatabase();
    const bytes = await backUpBytes(service.databaseUrl);
    const end = bytes.lastIndexOf('{"isEnd"');
    const commits = bytes.indexOf('{"table":"commits"');
    const lengths = [0, 20, bytes.indexOf('\n') + 1, commits + 20, commits + 300, end - 2, end, bytes.length - 1];
    for (const length of lengths) {
      await assert.rejects(restoreBytes(copy.url, bytes.subarray(0, length)), /cut short|no backup/, `at ${length}`);
      assert.equal(await countRows(copy.url), 0, `at ${length}`);
    }
    const changed = Buffer.from(bytes);
    // A letter of a handle or a name: the rows can be stored, and the checksum differs.
    const letter = changed.indexOf('github\t') + 'github'.length - 1;
    changed[letter] = 'c'.charCodeAt(0);
    await assert.rejects(restoreBytes(copy.url, changed), /damaged/);
    changed[letter] = '\t'.charCodeAt(0);
    await assert.rejects(restoreBytes(copy.url, changed), (error: Error) => {
      assert.match(error.message, /^The rows of \w+ in the backup cannot be stored \(PostgreSQL's error 22P04\)\.$/);
      return true;
    });
    const ending = new AbortController();
    const input = Readable.from(
      (async function* () {
        yield bytes.subarray(0, commits + 300);
        ending.abort();
        yield bytes.subarray(commits + 300);
      })(),
    );
    await assert.rejects(restoreFrom(toIo(copy.url, { input, signal: ending.signal }), '-'));
    assert.equal(await countRows(copy.url), 0);
    await restoreBytes(copy.url, bytes);
    assert.equal(await countRows(copy.url), await countRows(service.databaseUrl));
  });

  it('refuses other files, backups with other tables, and databases that are not empty', async () => {
    await using original = await createTestDatabase();
    await using copy = await createTestDatabase();
    await using directory = await makeTemporaryDirectory();
    const file = directory.pathOf('backup');
    await backUpTo(toIo(original.url), file);
    await assert.rejects(backUpTo(toIo(original.url), file), /is a file of this name already/);
    await assert.rejects(
      backUpTo(toIo('postgresql:///none?host=/nonexistent'), directory.pathOf('none')),
      /does not respond/,
    );
    await assert.rejects(backUpTo(toIo(original.url), undefined), /backup needs the path of a file, or -/);
    await assert.rejects(restoreFrom(toIo(copy.url), directory.pathOf('absent')), /no such file/);
    await assert.rejects(restoreFrom(toIo(copy.url), directory.path), /is a directory/);
    await assert.rejects(restoreFrom(toIo(copy.url), fileURLToPath(import.meta.url)), /no backup by/);
    await exportTo(toIo(original.url), directory.pathOf('export'));
    await assert.rejects(restoreFrom(toIo(copy.url), directory.pathOf('export')), /"plaudit import" reads exports/);

    const text = await readFile(file, 'latin1');
    const foreign = directory.pathOf('foreign');
    await writeFile(foreign, text.replace(/"migration":"[^"]+"/, '"migration":"0001-first"'), 'latin1');
    await assert.rejects(restoreFrom(toIo(copy.url), foreign), /has the tables of release .+ \(0001-first\)/);

    await query(copy.url, `insert into secrets (name, value) values ('one', '')`);
    await assert.rejects(restoreFrom(toIo(copy.url), file), /needs a new database/);
  });

  it('neither changes nor backs up a database with the tables of another release', async () => {
    await using created = await createTestDatabase({ withTables: false });
    const options = { databaseUrl: created.url, dataDir: '/nonexistent', log: () => {} };
    await (await openDatabase(options)).close();
    await query(created.url, "update applied_migrations set name = 'baseline-000000000000'");
    await assert.rejects(backUpBytes(created.url), /are not those of this release/);
    assert.deepEqual(await query(created.url, 'select name from applied_migrations'), [
      { name: 'baseline-000000000000' },
    ]);
  });

  it('leaves no file behind when a backup is interrupted', async () => {
    await using opened = await openTestDatabase();
    await using directory = await makeTemporaryDirectory();
    const { pool, clientConfig } = opened.database;
    const locking = await pool.connect();
    await locking.query('begin; lock table accounts in access exclusive mode');
    const ending = new AbortController();
    const file = directory.pathOf('backup');
    const interrupted = backUpTo(toIo(clientConfig.connectionString ?? '', { signal: ending.signal }), file);
    await until(async () => existsSync(file) || undefined, 'the file exists');
    ending.abort();
    await assert.rejects(interrupted);
    await locking.query('rollback');
    locking.release();
    assert.equal(existsSync(file), false);
  });

  it('notices an interruption while it opens its connection', async () => {
    await using opened = await openTestDatabase();
    const ending = new AbortController();
    const opening = openSession(opened.database.clientConfig, ending.signal);
    ending.abort();
    await assert.rejects(opening, { name: 'AbortError' });
  });

  it('works for the owner of a database who is no superuser', async () => {
    await using source = await createTestDatabase();
    await query(source.url, addOthers);
    const bytes = await backUpBytes(source.url);
    const [role, name] = [newName('owner'), newName('owned')];
    await onServer(source.url, `create role ${role} login`);
    await onServer(source.url, `create database ${name} owner ${role}`);
    const owned = new URL(source.url);
    owned.pathname = `/${name}`;
    if (owned.searchParams.has('user')) owned.searchParams.set('user', role);
    else owned.username = role;
    try {
      await restoreBytes(owned.href, bytes);
      assert.deepEqual(await readAll(owned.href), await readAll(source.url));
      assert.equal((await backUpBytes(owned.href)).length > 0, true);
    } finally {
      await onServer(source.url, `drop database if exists ${name} with (force)`);
      await onServer(source.url, `drop role ${role}`);
    }
  });
});
