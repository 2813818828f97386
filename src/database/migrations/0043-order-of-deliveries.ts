import { sql } from 'kysely';
import type { Part } from './migration.ts';

/**
 * Lets several transactions apply deliveries at once, each those of one key. Deliveries of a node of the former release
 * have the key `''` in common.
 */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`
        alter table deliveries add column order_key text not null default '', add column retry_at timestamptz,
          add column waiting_since timestamptz`,
    ],
  },
  {
    concurrently: {
      name: 'deliveries_of_key',
      on: sql`deliveries (order_key, attempts, received_at) where applied_at is null`,
    },
  },
  {
    concurrently: {
      name: 'deliveries_retried',
      on: sql`deliveries (retry_at) include (order_key) where retry_at is not null`,
    },
  },
];
