import { sql } from 'kysely';
import type { Part } from './migration.ts';

/**
 * Records up to which time stored times may lie, so that a start reads no table to find those in the future. Times that
 * are stored already are not known, so the first start still reads everything.
 */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`create table latest_time (is_only boolean primary key default true check (is_only), until timestamptz not null)`,
      sql`insert into latest_time (until) values ('infinity')`,
    ],
  },
  {
    concurrently: {
      name: 'lookups_refused',
      on: sql`lookups (key) where state = 'delayed_by_quota' or (state = 'failed' and error_code = 'provider_rate_limited')`,
    },
  },
];
