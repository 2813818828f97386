import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Lets the addresses of an account that its owner had erased be opted out in parts. */
export const parts: readonly Part[] = [{ sql: [sql`alter table accounts add column opted_out_as bytea`] }];
