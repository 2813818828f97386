import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Lets a window of time be complete before the first reading of a list, newest change first, has reached its end. */
export const parts: readonly Part[] = [{ sql: [sql`alter table streams add column reached_at timestamptz`] }];
