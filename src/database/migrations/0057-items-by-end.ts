import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Lets windows count the items that were closed or merged in a repository without reading everything that was opened before. */
export const parts: readonly Part[] = [
  {
    concurrently: {
      name: 'contributions_closed',
      on: sql`contributions (repository_id, kind, closed_at) where closed_at is not null`,
    },
  },
  {
    concurrently: {
      name: 'contributions_merged',
      on: sql`contributions (repository_id, merged_at) where merged_at is not null`,
    },
  },
];
