import { type RawBuilder, sql } from 'kysely';
import type { Part } from './migration.ts';

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

/** Removes the foreign keys of a table. Their names differ, because the table had another name when some were made. */
function withoutForeignKeys(table: string): RawBuilder<unknown> {
  return sql.raw(`
    do $$
    declare found text;
    begin
      for found in select conname from pg_constraint where conrelid = '${table}'::regclass and contype = 'f' loop
        execute format('alter table ${table} drop constraint %I', found);
      end loop;
    end $$`);
}

/**
 * The tables that are divided by repository refer to no other table. Each is a part of its own, so that few tables are
 * locked at a time.
 */
export const parts: readonly Part[] = [
  { sql: [sql`create table erased_repositories (repository_id uuid primary key)`] },
  ...tables.map((table) => ({ sql: [withoutForeignKeys(table)] })),
];
