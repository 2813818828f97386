-- Announces visible changes in the transaction that makes them, for every writer. The nodes drop the responses of the
-- accounts that are named.

-- Returns how many accounts this transaction has announced; more than `max_announced()`: all of them at once.
create or replace function count_announced() returns integer language sql stable as $$
  select coalesce(nullif(current_setting('plaudit.announced', true), ''), '0')::integer
$$;

-- Names all accounts at once.
create or replace function announce_all() returns void language plpgsql as $$
begin
  insert into announcements (kind, key) values ('accounts', 'all');
  perform set_config('plaudit.announced', (max_announced() + 1)::text, true);
end $$;

-- Names each account, or all of them at once where a transaction names more than `max_announced()`. Callers read one row more
-- than that at most, and pass the accounts of all these rows: a statement that removes duplicates first would read the rows of
-- all people.
create or replace function announce_accounts(ids uuid[]) returns void language plpgsql as $$
declare
  announced integer := count_announced();
begin
  if announced > max_announced() then
    return;
  end if;
  announced := announced + (select count(distinct id) from unnest(ids) listing (id));
  if cardinality(ids) > max_announced() or announced > max_announced() then
    perform announce_all();
  else
    insert into announcements (kind, key) select distinct 'account', id from unnest(ids) listing (id);
    perform set_config('plaudit.announced', announced::text, true);
  end if;
end $$;

-- Names the accounts that hold awards of some repositories.
create or replace function announce_holders(repositories uuid[]) returns void language plpgsql as $$
declare
  earnable uuid[];
begin
  if count_announced() > max_announced() then
    return;
  end if;
  earnable := array(select id from achievements where repository_id = any(repositories) limit max_announced() + 1);
  if greatest(cardinality(repositories), cardinality(earnable)) > max_announced() then
    perform announce_accounts(repositories || earnable);
  else
    -- Each achievement reads its holders from an index; a join might read those of all achievements.
    perform announce_accounts(array(
      select w.account_id from unnest(earnable) as a (id) cross join lateral (
        select account_id from awards where achievement_id = a.id limit max_announced() + 1) w limit max_announced() + 1));
  end if;
end $$;

-- Names the accounts that hold the awards, and the owners of the achievements, whose pages list the holders.
create or replace function announce_awards() returns trigger language plpgsql as $$
begin
  perform announce_accounts(array(select id from (
    select account_id from changed_rows union all
    select r.owner_id from changed_rows w join achievements a on a.id = w.achievement_id
      join repositories r on r.id = a.repository_id) listing (id) limit max_announced() + 1));
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
  perform announce_holders(array[new.id]);
  return null;
end $$;

-- The addresses of icons contain the default branch at some hosts.
create or replace trigger repositories_seen_otherwise after update on repositories
for each row when ((old.is_private, old.deleted_at, old.owner_id, old.name, old.default_branch)
  is distinct from (new.is_private, new.deleted_at, new.owner_id, new.name, new.default_branch))
execute function announce_awarded_in_repository();

create or replace function announce_awarded_by_owner() returns trigger language plpgsql as $$
begin
  perform announce_holders(array(select id from repositories where owner_id = new.id limit max_announced() + 1));
  return null;
end $$;

create or replace trigger accounts_seen_otherwise after update on accounts
for each row when ((old.hidden, old.hidden_by_host, old.publishes_private, old.deleted_at, old.name)
  is distinct from (new.hidden, new.hidden_by_host, new.publishes_private, new.deleted_at, new.name))
execute function announce_awarded_by_owner();

create or replace function announce_awarded() returns trigger language plpgsql as $$
begin
  perform announce_accounts(array(select account_id from awards where achievement_id = new.id limit max_announced() + 1));
  return null;
end $$;

create or replace trigger achievements_seen_otherwise after update on achievements
for each row when ((old.icon, old.description) is distinct from (new.icon, new.description))
execute function announce_awarded();

-- Returns the accounts whose repositories a board counts, and the people on it.
create or replace function accounts_on_board(board uuid) returns setof uuid language sql stable as $$
  select r.owner_id from board_repositories m join repositories r on r.id = m.repository_id where m.board_id = board
  union all select account_id from board_ranks where board_id = board and is_ranked and until_version is null
  limit max_announced() + 1
$$;

-- Names the account itself, the accounts that list it as a contributor or as a holder of an achievement, and those whose
-- repositories its boards count, or who are on its boards: their pages name the boards.
create or replace function announce_shown_account() returns trigger language plpgsql as $$
declare
  -- Statements of their own, because Citus relates no table that is divided by repository to one that is not.
  contributed constant uuid[] := array(select repository_id from contributor_totals where account_id = new.id limit max_announced() + 1);
  own constant uuid[] := array(select id from boards where owner_id = new.id limit max_announced() + 1);
begin
  if greatest(cardinality(contributed), cardinality(own)) > max_announced() then
    perform announce_accounts(contributed || own);
    return null;
  end if;
  perform announce_accounts(array(select id from (
    select new.id union all
    select owner_id from repositories where id = any(contributed) union all
    select r.owner_id from awards w join achievements a on a.id = w.achievement_id
      join repositories r on r.id = a.repository_id where w.account_id = new.id union all
    select shown_on.id from unnest(own) as b (id) cross join lateral accounts_on_board(b.id) as shown_on (id)
  ) listing (id) limit max_announced() + 1));
  return null;
end $$;

create or replace trigger accounts_shown_otherwise after update on accounts
for each row when ((old.hidden, old.hidden_by_host, old.deleted_at is null)
  is distinct from (new.hidden, new.hidden_by_host, new.deleted_at is null))
execute function announce_shown_account();

-- Names the owner of a board that changed or ended, the accounts whose repositories it counts, and the people on it.
create or replace function announce_board() returns trigger language plpgsql as $$
begin
  perform announce_accounts(array(
    select new.owner_id union all select id from accounts_on_board(new.id) as shown_on (id) limit max_announced() + 1));
  return null;
end $$;

create or replace trigger boards_announced after update on boards
for each row when ((old.slug, old.definition::text, old.is_private, old.is_current)
  is distinct from (new.slug, new.definition::text, new.is_private, new.is_current))
execute function announce_board();
