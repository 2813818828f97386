import { sql } from 'kysely';
import type { Part } from './migration.ts';

/**
 * Rankings follow changes in versions: a row of a person ends with a version, and another one begins. Rankings of before
 * are counted again.
 */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`drop table board_ranks`,
      sql`drop table board_rankings`,
      sql`alter table boards drop column ranking_id`,
      sql`
        create table board_rankings (
          board_id uuid primary key references boards on delete cascade,
          version integer not null,
          oldest_version integer not null,
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
          whole_until timestamptz
        )`,
      sql`
        create table board_ranks (
          board_id uuid not null references boards on delete cascade,
          account_id uuid not null references accounts on delete cascade,
          since_version integer not null,
          until_version integer,
          ended_at timestamptz,
          is_ranked boolean not null,
          points double precision not null,
          ordered_at timestamptz,
          name text collate "C" not null,
          granted double precision not null,
          by_rule json not null,
          previous_rank integer,
          is_newcomer boolean not null,
          is_returning boolean not null,
          first_at timestamptz,
          reached_at timestamptz,
          teams text[] not null,
          member_teams text[] not null,
          primary key (board_id, account_id, since_version)
        )`,
      sql`create index board_ranks_account on board_ranks (account_id)`,
      sql`
        create index board_ranks_order on board_ranks (board_id, points desc, ordered_at, name, account_id)
        include (since_version, until_version) where is_ranked`,
      sql`create index board_ranks_ended on board_ranks (board_id, ended_at) where ended_at is not null`,
      sql`create index board_ranks_granted on board_ranks (board_id) where granted <> 0 and until_version is null`,
      sql`
        create table board_changes (
          board_id uuid not null references boards on delete cascade,
          people uuid[],
          identities integer[]
        )`,
      sql`create index board_changes_board on board_changes (board_id)`,
    ],
  },
];
