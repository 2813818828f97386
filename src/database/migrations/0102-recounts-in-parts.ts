import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Lets all commits of a repository be counted again in parts. No recount has begun. */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`
        alter table repository_totals add column recounted_until date,
          add column recounted_commits integer not null default 0`,
    ],
  },
];
