import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Lets the totals of a repository be checked over several nights. No check has begun. */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`
        alter table repository_totals add column checked_until date, add column checked_items numeric,
          add column checked_commits numeric, add column checked_people numeric, add column checked_languages numeric`,
    ],
  },
];
