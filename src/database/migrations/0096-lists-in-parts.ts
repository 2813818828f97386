import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Lets a list of contributors be made in parts. Lists that are stored are complete. */
export const parts: readonly Part[] = [{ sql: [sql`alter table rankings add column made_until uuid`] }];
