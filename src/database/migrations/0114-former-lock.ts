import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Drops the table with which releases up to 0.3 locked migrations: later ones use an advisory lock. */
export const parts: readonly Part[] = [{ sql: [sql`drop table if exists kysely_migration_lock`] }];
