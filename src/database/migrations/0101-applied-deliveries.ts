import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Lets old deliveries be deleted in batches: those that were never applied stay, and no batch reads them. */
export const parts: readonly Part[] = [
  {
    concurrently: {
      name: 'deliveries_applied',
      on: sql`deliveries (received_at) where applied_at is not null`,
    },
  },
];
