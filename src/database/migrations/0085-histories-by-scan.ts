import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Finds the histories that an earlier release read whole, of which there are none after a while, without all others. */
export const parts: readonly Part[] = [
  {
    concurrently: {
      name: 'streams_of_histories',
      on: sql`streams (coalesce(full_scan_at, '-infinity')) where name = 'commits' and completed_at is not null`,
    },
  },
];
