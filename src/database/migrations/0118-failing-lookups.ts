import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Stores since when a lookup fails, for the pages that wait for it. */
export const parts: readonly Part[] = [{ sql: [sql`alter table lookups add column failing_since timestamptz`] }];
