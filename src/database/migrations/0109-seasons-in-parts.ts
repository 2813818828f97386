import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Lets a version of a season be stored in parts, which readers see together with its statement. */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`alter table board_seasons add column is_written boolean not null default true`,
      sql`
        create table next_season_ranks (
          board_id uuid not null,
          number integer not null,
          version integer not null,
          part integer not null,
          people json not null,
          primary key (board_id, number, version, part),
          foreign key (board_id, number, version) references board_seasons on delete cascade
        )`,
    ],
  },
  { concurrently: { name: 'board_seasons_unwritten', on: sql`board_seasons (board_id) where not is_written` } },
];
