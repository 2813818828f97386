import { sql } from 'kysely';
import type { Part } from './migration.ts';

const counters = [
  'commits',
  'issues',
  'issues_closed',
  'pull_requests',
  'pull_requests_merged',
  'reviews',
  'discussions',
  'discussions_answered',
];

/** Lets the row of a repository's totals be made before anything is counted, so that transactions can lock it. */
export const parts: readonly Part[] = [
  {
    sql: counters.map((name) => sql`alter table repository_totals alter column ${sql.id(name)} set default 0`),
  },
];
