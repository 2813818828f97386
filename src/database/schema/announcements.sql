-- Announces visible changes in the transaction that makes them, for every writer. The nodes drop the responses of the
-- accounts that are named.

-- Names each account, or all of them at once where they are more than a node reads at a time (`maxAtOnce` in
-- database/announcements.ts). Callers select one account more than that at most.
create or replace function announce_accounts(ids uuid[]) returns void language plpgsql as $$
begin
  if cardinality(ids) > 10000 then
    insert into announcements (kind, key) values ('accounts', 'all');
  else
    insert into announcements (kind, key) select distinct 'account', id from unnest(ids) listing (id);
  end if;
end $$;

-- Names the accounts that hold the awards, and the owners of the achievements, whose pages list the holders.
create or replace function announce_awards() returns trigger language plpgsql as $$
begin
  perform announce_accounts(array(select id from (
    select account_id from changed_rows union
    select r.owner_id from changed_rows w join achievements a on a.id = w.achievement_id
      join repositories r on r.id = a.repository_id) listing (id) limit 10001));
  return null;
end $$;

create or replace trigger awards_inserted after insert on awards
referencing new table as changed_rows for each statement execute function announce_awards();

create or replace trigger awards_updated after update on awards
referencing new table as changed_rows for each statement execute function announce_awards();

create or replace trigger awards_deleted after delete on awards
referencing old table as changed_rows for each statement execute function announce_awards();

create or replace function announce_awarded_in_repository() returns trigger language plpgsql as $$
begin
  perform announce_accounts(array(
    select distinct w.account_id from achievements a join awards w on w.achievement_id = a.id
    where a.repository_id = new.id limit 10001));
  return null;
end $$;

-- The addresses of icons contain the default branch at some hosts.
create or replace trigger repositories_seen_otherwise after update on repositories
for each row when ((old.is_private, old.deleted_at, old.owner_id, old.name, old.default_branch)
  is distinct from (new.is_private, new.deleted_at, new.owner_id, new.name, new.default_branch))
execute function announce_awarded_in_repository();

create or replace function announce_awarded_by_owner() returns trigger language plpgsql as $$
begin
  perform announce_accounts(array(
    select distinct w.account_id from repositories r join achievements a on a.repository_id = r.id
    join awards w on w.achievement_id = a.id where r.owner_id = new.id limit 10001));
  return null;
end $$;

create or replace trigger accounts_seen_otherwise after update on accounts
for each row when ((old.hidden, old.hidden_by_host, old.publishes_private, old.deleted_at, old.name)
  is distinct from (new.hidden, new.hidden_by_host, new.publishes_private, new.deleted_at, new.name))
execute function announce_awarded_by_owner();

create or replace function announce_awarded() returns trigger language plpgsql as $$
begin
  perform announce_accounts(array(
    select distinct account_id from awards where achievement_id = new.id limit 10001));
  return null;
end $$;

create or replace trigger achievements_seen_otherwise after update on achievements
for each row when ((old.icon, old.description) is distinct from (new.icon, new.description))
execute function announce_awarded();

-- Names the account itself, the accounts that list it as a contributor or as a holder of an achievement, and those whose
-- repositories its boards count, or who are on its boards: their pages name the boards.
create or replace function announce_shown_account() returns trigger language plpgsql as $$
declare
  contributed uuid[];
begin
  select array_agg(repository_id) into contributed from contributor_totals where account_id = new.id;
  perform announce_accounts(array(select id from (
    select new.id union
    select owner_id from repositories where id = any(contributed) union
    select r.owner_id from awards w join achievements a on a.id = w.achievement_id
      join repositories r on r.id = a.repository_id where w.account_id = new.id union
    select r.owner_id from boards b join board_repositories m on m.board_id = b.id
      join repositories r on r.id = m.repository_id
    where b.owner_id = new.id union
    select k.account_id from boards b join board_ranks k on k.board_id = b.id
    where b.owner_id = new.id and k.is_ranked and k.until_version is null) listing (id) limit 10001));
  return null;
end $$;

create or replace trigger accounts_shown_otherwise after update on accounts
for each row when ((old.hidden, old.hidden_by_host, old.deleted_at is null)
  is distinct from (new.hidden, new.hidden_by_host, new.deleted_at is null))
execute function announce_shown_account();

-- Names the owner of a board that changed or ended, the accounts whose repositories it counts, and the people on it.
create or replace function announce_board() returns trigger language plpgsql as $$
begin
  perform announce_accounts(array(select id from (
    select new.owner_id union
    select r.owner_id from board_repositories m join repositories r on r.id = m.repository_id
    where m.board_id = new.id union
    select account_id from board_ranks where board_id = new.id and is_ranked and until_version is null) listing (id) limit 10001));
  return null;
end $$;

create or replace trigger boards_announced after update on boards
for each row when ((old.slug, old.definition::text, old.is_private, old.is_current)
  is distinct from (new.slug, new.definition::text, new.is_private, new.is_current))
execute function announce_board();
