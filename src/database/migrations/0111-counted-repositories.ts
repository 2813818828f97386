import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** The repositories that a version of a season counted. Stored versions lack them until they are counted again. */
export const parts: readonly Part[] = [{ sql: [sql`alter table board_seasons add column counted json`] }];
