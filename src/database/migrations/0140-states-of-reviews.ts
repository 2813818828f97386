import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Stores the states of reviews. Full scans of installed repositories read those of stored reviews. */
export const parts: readonly Part[] = [{ sql: [sql`alter table contributions add column state text`] }];
