import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Lets a ranking of all people of a board be stored in parts, which readers see together. */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`
        create table next_board_rankings (
          board_id uuid primary key references boards on delete cascade,
          version integer not null,
          since timestamptz,
          until timestamptz,
          basis text not null,
          members integer not null,
          is_of_team boolean not null,
          people integer not null,
          coverage json not null,
          as_of timestamptz,
          built_at timestamptz not null,
          whole_at timestamptz not null,
          whole_cost_ms integer not null,
          whole_until timestamptz,
          repository_ids uuid[]
        )`,
      sql`
        create table next_board_ranks (
          board_id uuid not null references boards on delete cascade,
          part integer not null,
          people json not null,
          primary key (board_id, part)
        )`,
    ],
  },
];
