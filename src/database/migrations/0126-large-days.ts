import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Lets a check notice that a day changed while it is counted. No check counts one. */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`
        alter table repository_totals add column counting_day date,
          add column countings integer not null default 0`,
    ],
  },
];
