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
  // For erasure: foreign keys do not cover lists of people.
  {
    concurrently: {
      name: 'contributions_people',
      on: sql`contributions using gin ((assignees || reviewers || reactors)) where (assignees || reviewers || reactors) <> '{}'`,
    },
  },
  { concurrently: { name: 'pending_evaluations_account', on: sql`pending_evaluations (account_id)` } },
  // For the clean-up.
  { concurrently: { name: 'lookups_end', on: sql`lookups (retry_at)` } },
  {
    concurrently: {
      name: 'repository_totals_uncounted',
      on: sql`repository_totals (repository_id) where not commits_counted`,
    },
  },
  { concurrently: { name: 'counters_private', on: sql`counters (account_id) where includes_private` } },
  { concurrently: { name: 'star_events_recorded', on: sql`star_events (recorded_at)` } },
  { concurrently: { name: 'drifts_repaired', on: sql`drifts (found_at) where is_repaired` } },
];
