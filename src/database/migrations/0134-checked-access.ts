import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Lets awards from private repositories be shown to those alone whose access the host confirmed. No award is confirmed. */
export const parts: readonly Part[] = [
  { sql: [sql`alter table awards add column access_checked_at timestamptz, add column has_access boolean`] },
];
