import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pool } from 'pg';
import { openTestDatabase } from '../../database.ts';

/** The tables that shall be divisible by repository (docs/decisions/0064-tables-by-repository.md). */
const tables = [
  'commits',
  'contribution_days',
  'contributions',
  'contributor_totals',
  'pending_details',
  'repository_identities',
  'repository_totals',
  'uncounted_commits',
];

/**
 * Foreign keys that are still to be replaced by explicit deletion, by the table that they refer to. Nothing may be added.
 */
const remaining = {
  accounts: [
    'contribution_days(account_id)',
    'contributions(account_id)',
    'contributions(answered_by)',
    'contributions(merged_by)',
    'contributions(resolved_by)',
    'contributor_totals(account_id)',
  ],
  identities: ['repository_identities(identity_id)'],
  repositories: tables.map((table) => `${table}(repository_id)`),
};

async function list(pool: Pool, statement: string): Promise<string[]> {
  const { rows } = await pool.query<{ found: string }>(
    `with divided as (
       select oid, reltype from pg_class
       where relname = any($1) and relkind = 'r' and relnamespace = current_schema()::regnamespace)
     ${statement} order by 1`,
    [tables],
  );
  return rows.map(({ found }) => found);
}

describe('the tables that are divided by repository', () => {
  it('have no triggers, no functions with their rows, no identity columns, and keys with the repository', async () => {
    await using opened = await openTestDatabase();
    const { pool } = opened.database;
    assert.deepEqual(await list(pool, 'select oid::regclass::text as found from divided'), tables);
    const refused = {
      triggers: await list(
        pool,
        `select t.tgname || ' on ' || d.oid::regclass as found from pg_trigger t join divided d on d.oid = t.tgrelid
         where not t.tgisinternal`,
      ),
      functions: await list(
        pool,
        `select p.oid::regprocedure::text as found from pg_proc p
         where exists (select from divided d join pg_type t on t.oid = d.reltype
           where (p.proargtypes::oid[] || p.prorettype || coalesce(p.proallargtypes, '{}')) && array[t.oid, t.typarray])`,
      ),
      identities: await list(
        pool,
        `select d.oid::regclass || '(' || a.attname || ')' as found from pg_attribute a join divided d on d.oid = a.attrelid
         where a.attidentity <> ''`,
      ),
      keys: await list(
        pool,
        `select i.indexrelid::regclass::text as found from pg_index i join divided d on d.oid = i.indrelid
         where i.indisunique and not exists (
           select from pg_attribute a where a.attrelid = d.oid and a.attnum = any(i.indkey) and a.attname = 'repository_id')`,
      ),
    };
    assert.deepEqual(refused, { triggers: [], functions: [], identities: [], keys: [] });
  });

  it('get no further foreign keys', async () => {
    await using opened = await openTestDatabase();
    for (const [table, expected] of Object.entries(remaining)) {
      const found = await list(
        opened.database.pool,
        `select c.conrelid::regclass || '(' || a.attname || ')' as found from pg_constraint c
         join divided d on d.oid = c.conrelid
         join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any(c.conkey)
         where c.contype = 'f' and c.confrelid = '${table}'::regclass`,
      );
      assert.deepEqual(found, expected, table);
    }
    const others = await list(
      opened.database.pool,
      `select c.conname::text as found from pg_constraint c join divided d on d.oid in (c.conrelid, c.confrelid)
       where c.contype = 'f' and c.confrelid::regclass::text not in ('accounts', 'identities', 'repositories')`,
    );
    assert.deepEqual(others, []);
  });
});
