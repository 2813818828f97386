import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Lets an account be erased in parts: hidden at once, and then row by row. None is being erased. */
export const parts: readonly Part[] = [
  { sql: [sql`alter table accounts add column erased_at timestamptz`] },
  { concurrently: { name: 'accounts_erased', on: sql`accounts (erased_at) where erased_at is not null` } },
];
