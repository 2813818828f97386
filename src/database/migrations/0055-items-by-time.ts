import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Lets windows of time and evidence read the items of a person, or of a repository, by the time at which they count. */
export const parts: readonly Part[] = [
  {
    concurrently: {
      name: 'contributions_of_account',
      on: sql`contributions (account_id, kind, created_at) include (repository_id, closed_at, merged_at)`,
    },
  },
  {
    concurrently: {
      name: 'contributions_answered',
      on: sql`contributions (answered_by, answered_at) where answered_by is not null`,
    },
  },
  {
    concurrently: {
      name: 'contributions_of_repository',
      on: sql`contributions (repository_id, kind, created_at) include (closed_at, merged_at)`,
    },
  },
  { concurrently: { name: 'commits_of_repository', on: sql`commits (repository_id, authored_at)` } },
  // The new indexes begin with the same columns.
  { sql: [sql`drop index if exists contributions_account`, sql`drop index if exists contributions_answered_by`] },
];
