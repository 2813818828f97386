import { sql } from 'kysely';
import type { Part } from './migration.ts';

/**
 * Lets a number be compared with that of a former moment: since when items are stored, which ones ceased to count or began
 * to count later, and how repositories were visible before they changed.
 */
export const parts: readonly Part[] = [
  // The default is evaluated once, so that no row is rewritten: rows of before have the time of the migration.
  { sql: [sql`alter table contributions add column stored_at timestamptz not null default now()`] },
  { sql: [sql`alter table commits add column stored_at timestamptz not null default now()`] },
  {
    sql: [
      sql`
        create table counted_changes (
          repository_id uuid not null references repositories on delete cascade,
          kind text not null,
          external_id text not null,
          number integer,
          counter text not null,
          account_id uuid references accounts on delete cascade,
          at timestamptz not null,
          is_co_authored boolean not null,
          is_added boolean not null,
          stored_at timestamptz not null,
          changed_at timestamptz not null
        )`,
      sql`create index counted_changes_account on counted_changes (account_id, changed_at)`,
      sql`create index counted_changes_repository on counted_changes (repository_id, changed_at)`,
      sql`create index counted_changes_time on counted_changes (changed_at)`,
      sql`
        create table former_repositories (
          repository_id uuid not null references repositories on delete cascade,
          owner_id uuid not null references accounts on delete cascade,
          is_private boolean not null,
          is_deleted boolean not null,
          until timestamptz not null
        )`,
      sql`create index former_repositories_repository on former_repositories (repository_id, until)`,
      sql`create index former_repositories_owner on former_repositories (owner_id, until)`,
      sql`create index former_repositories_time on former_repositories (until)`,
      sql`create table changes_kept (since timestamptz not null)`,
      sql`insert into changes_kept values (now())`,
    ],
  },
];
