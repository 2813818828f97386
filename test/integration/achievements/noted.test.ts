import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestDatabase } from '../../database.ts';
import { addRepository } from '../contributions/stored-repository.ts';

describe('evaluation after a change', () => {
  for (const [table, keys, silent] of [
    ['contributions', ['repository_id', 'kind', 'external_id'], ['seen_at', 'updated_at']],
    ['commits', ['repository_id', 'oid'], ['scan_number']],
  ] as const) {
    it(`evaluates affected people after a change of any column of ${table}, except for columns of scans`, async () => {
      await using opened = await openTestDatabase();
      const { connection, pool } = opened.database;
      const id = await addRepository(connection);
      await pool.query(`insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
      values ('${otherPerson}', 'github', '2', '2', 'user', 'bob', now(), now(), now())`);
      await pool.query(
        "insert into identities (provider, email, account_id) select 'github', 'a', id from accounts where name = 'ada'",
      );
      await pool.query(
        "insert into achievement_files (repository_id, path, text, reports, read_at) values ($1, 'p', '', '[]', now())",
        [id],
      );
      await pool.query(
        table === 'contributions'
          ? `insert into contributions (repository_id, kind, external_id, account_id, created_at, updated_at, seen_at)
           select $1, 'discussion', '1', id, now(), now(), now() from accounts where name = 'ada'`
          : `insert into commits (repository_id, oid, authored_at, committed_at, scan_number, identity_ids)
           select $1, '\\x01', now(), now(), 1, array_agg(id) from identities`,
        [id],
      );
      const { rows: columns } = await pool.query<{ name: string; type: string; element: string }>(
        `select column_name as name, data_type as type, udt_name as element
       from information_schema.columns where table_schema = 'public' and table_name = $1`,
        [table],
      );
      const recorded: string[] = [];
      const client = await pool.connect();
      try {
        for (const { name, type, element } of columns) {
          if (keys.some((key) => key === name)) continue;
          const value = arrays[element] ?? otherValues[type] ?? assert.fail(`${name} is ${type}`);
          await client.query('begin');
          await client.query('delete from pending_evaluations');
          await client.query(`update ${table} set ${name} = ${value}`);
          const { rows } = await client.query('select from pending_evaluations');
          if (rows.length > 0) recorded.push(name);
          await client.query('rollback');
        }
      } finally {
        client.release(true);
      }
      const expected = columns
        .map(({ name }) => name)
        .filter((name) => ![...keys, ...silent].some((one) => one === name));
      assert.deepEqual(recorded.toSorted(), expected.toSorted());
    });
  }

  it('announces awards after a change of the default branch, because their icons may be on it', async () => {
    await using opened = await openTestDatabase();
    const { connection, pool } = opened.database;
    const id = await addRepository(connection);
    await pool.query(
      `with added as (
       insert into achievements (id, repository_id, name, icon, description, is_current)
       values (gen_random_uuid(), $1, 'A', 'a.png', '', true) returning id)
     insert into awards (id, achievement_id, account_id, repository_name, awarded_at, created_at)
     select gen_random_uuid(), added.id, a.id, 'engine', now(), now() from added, accounts a`,
      [id],
    );
    await pool.query("update repositories set description = 'same'");
    await pool.query("update repositories set default_branch = 'trunk'");
    const { rows: announced } = await pool.query('select distinct kind, key::uuid as id from announcements');
    const { rows } = await pool.query<{ id: string }>(`select 'account' as kind, id from accounts`);
    assert.deepEqual(announced, rows);
  });
});

const otherPerson = '00000000-0000-7000-8000-000000000007';
/** Values, by type of column, that a new row does not hold. */
const otherValues: Readonly<Record<string, string>> = {
  boolean: 'true',
  integer: '7',
  text: "'7'",
  uuid: `'${otherPerson}'`,
  'timestamp with time zone': "'2007-07-07T07:07:07Z'",
  ARRAY: "'{7}'",
};
const arrays: Readonly<Record<string, string>> = { _uuid: `'{${otherPerson}}'` };
