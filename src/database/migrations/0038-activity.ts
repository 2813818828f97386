import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Stores when a polled repository last changed, by which polls share the quota. */
export const parts: readonly Part[] = [{ sql: [sql`alter table repository_polls add column changed_at timestamptz`] }];
