import { sql } from 'kysely';
import type { Part } from './migration.ts';

/**
 * Addresses whose account changed, and how far the evaluations in the repositories that use them are queued. They refer to
 * nothing, so that the job that queues the rest waits for no row.
 */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`
        create table changed_identities (
          id bigint generated always as identity primary key,
          identity_id integer not null,
          account_ids uuid[] not null,
          queued_until uuid not null
        )`,
    ],
  },
];
