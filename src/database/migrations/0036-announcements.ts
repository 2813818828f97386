import { sql } from 'kysely';
import type { Part } from './migration.ts';

/**
 * Announcements become rows. NOTIFY takes a lock of the whole server at each commit, so that transactions that announce
 * something commit one after the other (PostgreSQL, src/backend/commands/async.c, PreCommit_Notify).
 */
export const parts: readonly Part[] = [
  {
    sql: [
      // Unlogged: after a crash of the server every node connects again, and empties its cache.
      sql`
        create unlogged table announcements (
          transaction xid8 not null default pg_current_xact_id(),
          kind text not null,
          key text not null
        )`,
      sql`create index announcements_transaction on announcements (transaction)`,
      sql`
        create or replace function announce_awards() returns trigger language plpgsql as $$
        begin
          insert into announcements (kind, key) select distinct 'account', account_id from changed_rows;
          return null;
        end $$`,
      sql`
        create or replace function announce_awarded_in_repository() returns trigger language plpgsql as $$
        begin
          insert into announcements (kind, key)
          select distinct 'account', w.account_id from achievements a join awards w on w.achievement_id = a.id
          where a.repository_id = new.id;
          return null;
        end $$`,
      sql`
        create or replace function announce_awarded_by_owner() returns trigger language plpgsql as $$
        begin
          insert into announcements (kind, key)
          select distinct 'account', w.account_id from repositories r join achievements a on a.repository_id = r.id
          join awards w on w.achievement_id = a.id where r.owner_id = new.id;
          return null;
        end $$`,
      sql`
        create or replace function announce_awarded() returns trigger language plpgsql as $$
        begin
          insert into announcements (kind, key)
          select distinct 'account', account_id from awards where achievement_id = new.id;
          return null;
        end $$`,
      sql`
        create or replace function announce_shown_account() returns trigger language plpgsql as $$
        begin
          insert into announcements (kind, key) select 'account', id from (
            select new.id union
            select r.owner_id from contributor_totals t join repositories r on r.id = t.repository_id
            where t.account_id = new.id) listing (id);
          return null;
        end $$`,
    ],
  },
];
