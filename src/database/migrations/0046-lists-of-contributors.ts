import { sql } from 'kysely';
import type { Part } from './migration.ts';

/**
 * Lists of contributors that follow changes in versions, in the place of a copy for each version. Lists that were made
 * before are made again.
 */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`drop table ranks`,
      sql`drop table rankings`,
      sql`
        create table rankings (
          id bigint generated always as identity primary key,
          account_id uuid not null,
          repository_id uuid,
          includes_private boolean not null,
          excluded text[] not null,
          version bigint not null default 1,
          oldest_version bigint not null default 1,
          people bigint not null default 0,
          built_at timestamptz not null,
          ended_at timestamptz
        )`,
      sql`
        create unique index rankings_present on rankings (account_id, repository_id, includes_private)
        nulls not distinct where ended_at is null`,
      sql`create index rankings_account on rankings (account_id)`,
      sql`create index rankings_built on rankings (built_at) where ended_at is null`,
      sql`create index rankings_ended on rankings (ended_at) where ended_at is not null`,
      sql`
        create table ranks (
          ranking_id bigint not null,
          account_id uuid not null,
          contributions integer not null,
          name_key text collate "C" not null,
          is_counted boolean not null,
          since_version bigint not null,
          until_version bigint,
          ended_at timestamptz
        )`,
      sql`create unique index ranks_person on ranks (ranking_id, account_id) where until_version is null`,
      sql`
        create index ranks_order on ranks (ranking_id, (-contributions), name_key, account_id)
        where until_version is null`,
      sql`create index ranks_version on ranks (ranking_id, until_version)`,
      sql`create index ranks_ended on ranks (ended_at) where until_version is not null`,
      sql`create index ranks_account on ranks (account_id)`,
      sql`
        create table unlisted_contributors (
          transaction_id xid8 not null,
          repository_id uuid,
          account_id uuid not null,
          added bigint not null
        )`,
      sql`create index unlisted_contributors_transaction on unlisted_contributors (transaction_id)`,
      sql`alter table accounts drop column contributors_version`,
    ],
  },
];
