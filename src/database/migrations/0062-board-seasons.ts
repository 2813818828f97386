import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Frozen windows of boards, with their signed statements. */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`alter table boards add column freeze_at timestamptz`,
      sql`create index boards_freeze on boards (freeze_at) where freeze_at is not null`,
      sql`
        create table board_seasons (
          board_id uuid not null references boards on delete cascade,
          number integer not null,
          version integer not null,
          since timestamptz,
          until timestamptz not null,
          definition json not null,
          coverage json not null,
          as_of timestamptz,
          missing text[] not null,
          frozen_at timestamptz not null,
          reason text not null,
          differences json not null,
          statement text,
          primary key (board_id, number, version)
        )`,
      sql`create index board_seasons_unsigned on board_seasons (board_id) where statement is null`,
      sql`
        create table board_season_ranks (
          board_id uuid not null,
          number integer not null,
          version integer not null,
          place integer not null,
          rank integer not null,
          account_id uuid references accounts on delete set null,
          is_anonymous boolean not null,
          points double precision not null,
          granted double precision not null,
          by_rule json not null,
          previous_rank integer,
          is_newcomer boolean not null,
          is_returning boolean not null,
          teams text[] not null,
          primary key (board_id, number, version, place),
          foreign key (board_id, number, version) references board_seasons on delete cascade
        )`,
      sql`create index board_season_ranks_account on board_season_ranks (account_id) where account_id is not null`,
    ],
  },
];
