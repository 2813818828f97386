import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Boards: their files, their definitions, and rankings as they were at one moment. */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`alter table accounts add column boards_repository text`,
      sql`
        create table board_files (
          owner_id uuid not null references accounts on delete cascade,
          repository_id uuid references repositories on delete cascade,
          path text,
          oid text,
          revision text,
          text text not null,
          reports json not null,
          read_at timestamptz not null,
          unique nulls not distinct (owner_id, repository_id)
        )`,
      sql`create index board_files_repository on board_files (repository_id)`,
      sql`
        create table boards (
          id uuid primary key,
          owner_id uuid not null references accounts on delete cascade,
          slug text not null,
          place integer not null,
          definition json not null,
          is_current boolean not null,
          is_private boolean not null,
          owners text[] not null,
          ranking_id bigint,
          cost_ms integer not null default 0,
          created_at timestamptz not null
        )`,
      sql`create unique index boards_slug on boards (owner_id, lower(slug))`,
      sql`create index boards_owners on boards using gin (owners) where is_current`,
      sql`
        create table board_repositories (
          board_id uuid not null references boards on delete cascade,
          repository_id uuid not null references repositories on delete cascade,
          primary key (board_id, repository_id)
        )`,
      sql`create index board_repositories_repository on board_repositories (repository_id)`,
      sql`
        create table board_rankings (
          id bigint generated always as identity primary key,
          board_id uuid not null references boards on delete cascade,
          base_id bigint,
          since timestamptz,
          until timestamptz,
          digest text not null,
          members integer not null,
          coverage json not null,
          as_of timestamptz,
          built_at timestamptz not null,
          changed_at timestamptz not null
        )`,
      sql`create index board_rankings_board on board_rankings (board_id)`,
      sql`
        create table board_ranks (
          ranking_id bigint not null references board_rankings on delete cascade,
          place integer not null,
          rank integer not null,
          account_id uuid not null references accounts on delete cascade,
          points double precision not null,
          granted double precision not null,
          by_rule json not null,
          previous_rank integer,
          is_newcomer boolean not null,
          is_returning boolean not null,
          first_at timestamptz,
          reached_at timestamptz,
          teams text[] not null,
          primary key (ranking_id, place)
        )`,
      sql`create index board_ranks_account on board_ranks (account_id)`,
      sql`
        create table board_leaders (
          board_id uuid not null references boards on delete cascade,
          account_id uuid not null references accounts on delete cascade,
          since timestamptz not null,
          points double precision not null,
          primary key (board_id, account_id, since)
        )`,
      sql`create index board_leaders_account on board_leaders (account_id)`,
    ],
  },
];
