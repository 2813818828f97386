import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Marks of commits whose message names a program that helped to write it. Null: not read since. */
export const parts: readonly Part[] = [{ sql: [sql`alter table commits add column assisted boolean`] }];
