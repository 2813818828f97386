import { sql } from 'kysely';
import type { Part } from './migration.ts';

/**
 * The accounts that the rule of a version of a season names, and the names of erased and hidden accounts that the next
 * version of a season leaves out. Stored versions lack the former until they are counted again.
 */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`alter table board_seasons add column people text[] not null default '{}'`,
      sql`
        create table withdrawn_names (
          board_id uuid not null references boards on delete cascade,
          number integer not null,
          name text not null,
          primary key (board_id, number, name)
        )`,
    ],
  },
  { concurrently: { name: 'board_seasons_people', on: sql`board_seasons using gin (people)` } },
];
