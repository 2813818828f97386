import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Makes work that ran over whole tables bounded: each statement reads, by an index, only the rows that it changes. */
export const parts: readonly Part[] = [
  {
    sql: [
      // Credentials that are not accepted any more, and whose private data is stored still. Readers compare with it.
      sql`
        create table withdrawn_credentials (
          provider text not null,
          credential_name text not null,
          withdrawn_at timestamptz not null,
          primary key (provider, credential_name)
        )`,
      // The contributions that running full scans have seen, one row for each page.
      sql`
        create table scan_pages (
          repository_id uuid not null references repositories on delete cascade,
          stream text not null,
          kinds text[] not null,
          external_ids text[] not null
        )`,
      sql`create index scan_pages_stream on scan_pages (repository_id, stream)`,
    ],
  },
  {
    concurrently: {
      name: 'repositories_shown_by',
      on: sql`repositories (provider, credential_name, owner_id) where is_private and deleted_at is null`,
    },
  },
  { concurrently: { name: 'reported_totals_credential', on: sql`reported_totals (credential_name, account_id)` } },
];
