import { sql } from 'kysely';
import type { Part } from './migration.ts';

/** Teams of hosts that boards name, with the members that the service may read. */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`alter table boards add column teams text[] not null default '{}'`,
      sql`alter table board_ranks add column member_teams text[] not null default '{}'`,
      sql`
        create table host_teams (
          owner_id uuid not null references accounts on delete cascade,
          name text not null,
          read_at timestamptz,
          tried_at timestamptz not null,
          primary key (owner_id, name)
        )`,
      sql`
        create table host_team_members (
          owner_id uuid not null,
          team text not null,
          account_id uuid not null references accounts on delete cascade,
          primary key (owner_id, team, account_id),
          foreign key (owner_id, team) references host_teams on delete cascade
        )`,
      sql`create index host_team_members_account on host_team_members (account_id)`,
    ],
  },
];
