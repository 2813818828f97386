import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** The members of the team that a season ranks alone, and the points that late data does not change. */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`alter table board_seasons add column team_members uuid[]`,
      sql`alter table board_season_ranks add column settled json`,
    ],
  },
];
