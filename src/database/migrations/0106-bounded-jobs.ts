import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Lets jobs find the rows of one part of their work without reading all others. */
export const parts: readonly Part[] = [
  { sql: [sql`alter table pending_details add column noted_until text not null default ''`] },
  { concurrently: { name: 'language_days_in_order', on: sql`language_days (repository_id, day)` } },
  { concurrently: { name: 'administrators_confirmed', on: sql`administrators (confirmed_at)` } },
  { concurrently: { name: 'installations_removed', on: sql`installations (removed_at) where removed_at is not null` } },
];
