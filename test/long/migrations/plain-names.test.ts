import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importLines } from '../../../src/database/backup.ts';
import type { Database } from '../../../src/database/connection.ts';
import { migrate } from '../../../src/database/migrate.ts';
import {
  addRepository,
  contributionOf,
  storeContributions,
} from '../../integration/contributions/stored-repository.ts';
import { openBefore } from '../../integration/database/open-before.ts';

const before = '0022-doctor';
const at = '2026-06-14T09:00:00+00:00';

/** Stores data in each of the renamed tables and columns. */
async function fill({ connection, pool }: Database): Promise<void> {
  const id = await addRepository(connection);
  await pool.query('update accounts set asked_at = $1, gone_at = $1', [at]);
  await pool.query(`insert into questions (key, state, retry_at) values ('lookup', 'asked', $1)`, [at]);
  await pool.query(
    `insert into seen_totals (account_id, access, counters, missing, asked_at)
     select id, 'token', '{}', '{}', $1 from accounts`,
    [at],
  );
  await pool.query(
    `insert into lacking_details (repository_id, detail, key, noted) values ($1, 'pull_request_files', '7', 2)`,
    [id],
  );
  await pool.query(
    'insert into achievement_files (repository_id, path, oid, text, reports, read_at) values ($1, $2, $3, $4, $5, $6)',
    [id, 'a.yaml', '1', '', '[]', at],
  );
}

/** Returns an export of the tables as the release with migration 0022 wrote it. */
async function* exportedLines({ pool }: Database): AsyncGenerator<string> {
  for (const table of [
    'accounts',
    'repositories',
    'lacking_details',
    'seen_totals',
    'achievement_files',
    'achievement_work',
  ]) {
    yield JSON.stringify({ table });
    const { rows } = await pool.query<{ row: string }>(`select to_jsonb(t)::text as row from ${table} t`);
    for (const { row } of rows) yield row;
  }
}

const stored = async ({ pool }: Database): Promise<object[]> =>
  (
    await pool.query<object>(
      `
      select a.fetched_at = $1::timestamptz as fetched, a.deleted_at is not null as deleted, t.credential_name, d.key, d.revision,
        t.fetched_at = $1::timestamptz as totals_fetched
      from accounts a join reported_totals t on t.account_id = a.id cross join pending_details d`,
      [at],
    )
  ).rows;
const expected = [
  { fetched: true, deleted: true, credential_name: 'token', key: '7', revision: 2, totals_fetched: true },
];

describe('the migration to plain names', () => {
  it('keeps the data of renamed tables and columns, and lookups that run', async () => {
    await using opened = await openBefore(before);
    await fill(opened.database);
    await migrate(opened.database);
    assert.deepEqual(await stored(opened.database), expected);
    const { rows } = await opened.database.pool.query('select key, state from lookups');
    assert.deepEqual(rows, [{ key: 'lookup', state: 'running' }]);
  });

  it('lets functions write into the renamed tables', async () => {
    await using opened = await openBefore(before);
    await fill(opened.database);
    await migrate(opened.database);
    const { connection, pool } = opened.database;
    const { rows } = await pool.query<{ id: string; owner: string }>('select id, owner_id as owner from repositories');
    for (const { id, owner } of rows) await storeContributions(connection, id, [contributionOf({ author: owner })]);
    const evaluations = await pool.query('select kind from pending_evaluations');
    const changed = await pool.query('select is_update from changed_contributors');
    assert.deepEqual([evaluations.rows, changed.rows], [[{ kind: 'issue' }], [{ is_update: false }]]);
  });

  it('imports an export with the former names', async () => {
    await using former = await openBefore(before);
    await fill(former.database);
    await using opened = await openBefore(before);
    await importLines(opened.database, before, exportedLines(former.database));
    assert.deepEqual(await stored(opened.database), expected);
  });
});
