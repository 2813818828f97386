import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Titles of issues, pull requests and discussions. Null: not read since. */
export const parts: readonly Part[] = [{ sql: [sql`alter table contributions add column title text`] }];
