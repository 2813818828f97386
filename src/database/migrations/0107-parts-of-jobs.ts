import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Lets more jobs store how far they are. */
export const parts: readonly Part[] = [
  { sql: [sql`alter table pending_details add column rest text not null default 'absent'`] },
];
