import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Lets the statements of all seasons that name an erased or hidden account be withdrawn in parts. */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`
        create table pending_withdrawals (
          id uuid primary key default gen_random_uuid(),
          account_id uuid not null,
          name text,
          board_id uuid not null default '00000000-0000-0000-0000-000000000000',
          number integer not null default 0
        )`,
    ],
  },
  {
    concurrently: {
      name: 'board_season_ranks_seasons',
      on: sql`board_season_ranks (account_id, board_id, number) where account_id is not null`,
    },
  },
  { sql: [sql`drop index board_season_ranks_account`] },
];
