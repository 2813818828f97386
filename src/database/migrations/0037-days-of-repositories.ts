import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Lets the calendar of an organization read the days that it shows from an index alone. */
export const parts: readonly Part[] = [
  {
    concurrently: {
      name: 'contribution_days_of_repository',
      on: sql`contribution_days (repository_id, day) include (commits, issues, pull_requests, reviews, discussions)`,
    },
  },
  // The new index begins with the same column.
  { sql: [sql`drop index if exists contribution_days_repository`] },
];
