import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** The first lines of messages of commits. Null: not read since. */
export const parts: readonly Part[] = [{ sql: [sql`alter table commits add column subject text`] }];
