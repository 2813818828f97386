import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Counters of users in ranges of whole days (UTC), as their hosts report them. */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`
        create table reported_windows (
          account_id uuid not null references accounts on delete cascade,
          first_day date not null,
          last_day date not null,
          counters jsonb not null,
          fetched_at timestamptz not null,
          primary key (account_id, first_day, last_day)
        )`,
    ],
  },
];
