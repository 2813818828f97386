-- Lists of contributors follow changes at the end of the transaction that makes them, after the sums: see
-- docs/decisions/0063-order-of-locks.md for their locks. `count_changes` and recounts mark people by the difference of
-- their contributions to a repository; the triggers below mark those who have another name, are shown otherwise or are
-- deleted.

create or replace function mark_account() returns trigger language plpgsql as $$
begin
  perform set_config('plaudit.summed', '', true);
  insert into unlisted_contributors (transaction_id, repository_id, account_id, added)
  values (pg_current_xact_id(), null, old.id, 0);
  return null;
end $$;

create or replace trigger accounts_listed_otherwise after update on accounts
for each row when (
  (lower(old.name), old.type = 'bot', old.hidden, old.hidden_by_host, old.deleted_at is null)
  is distinct from (lower(new.name), new.type = 'bot', new.hidden, new.hidden_by_host, new.deleted_at is null))
execute function mark_account();

create or replace trigger accounts_unlisted after delete on accounts
for each row execute function mark_account();

create constraint trigger unlisted_contributors_listed after insert on unlisted_contributors
deferrable initially deferred for each row when (new.repository_id is null) execute function sum_marked();

-- People whom the number on a card contains.
create or replace function is_counted(a accounts) returns boolean language sql immutable as $$
  select a.type <> 'bot' and a.deleted_at is null and not a.hidden and not a.hidden_by_host
$$;

-- Brings the lists that the transaction has marked up to date. Those of `owners` that show a repository of `moved` end:
-- it became visible, hidden or another account's, and its people may be thousands.
create or replace function list_marked(moved uuid[], owners uuid[]) returns void language plpgsql
set plan_cache_mode = force_generic_plan as $$
declare
  persons uuid[];
  touched uuid[];
  contributed uuid[];
  lists bigint[];
  forgotten bigint[];
begin
  select array_agg(distinct account_id) filter (where repository_id is null) into persons
  from unlisted_contributors where transaction_id = pg_current_xact_id();
  -- A Citus cluster reads this from all workers, and most transactions mark no account.
  if persons is not null then
    select array_agg(repository_id) into contributed from contributor_totals where account_id = any(persons);
  end if;
  touched := array(
    select unnest(owners)
    union
    select s.owner_id from unlisted_contributors u join summed_repositories s using (repository_id)
    where u.transaction_id = pg_current_xact_id() and s.owner_id is not null
    union
    select owner_id from repositories where id = any(contributed));
  if touched = '{}' and persons is null then return; end if;
  perform wait_for_lists(touched);
  lists := array(
    select id from rankings where ended_at is null and id = any(array(
      select k.id from rankings k
      where k.ended_at is null and k.account_id = any(touched || persons) and (
        k.repository_id is null or k.repository_id = any(moved) or k.repository_id in (
          select u.repository_id from unlisted_contributors u where u.transaction_id = pg_current_xact_id()))
      union
      select s.ranking_id from ranks s where s.account_id = any(persons)))
    order by id for no key update);
  if lists = '{}' and persons is null then return; end if;
  -- Nothing names an account that is deleted. Without any, the planner's guess of how many rows to delete must not count.
  forgotten := array(
    select k.id from rankings k
    where k.account_id = any(persons) and not exists (select from accounts a where a.id = k.account_id));
  if forgotten <> '{}' then
    delete from ranks where ranking_id = any(forgotten);
    delete from rankings where id = any(forgotten);
  end if;

  update rankings set ended_at = now()
  where id = any(lists) and account_id = any(owners) and (repository_id is null or repository_id = any(moved));

  with changed as (
    select k.id as ranking_id, u.account_id, u.added
    from unlisted_contributors u join summed_repositories s using (repository_id)
    join repositories r on r.id = u.repository_id
    join rankings k on k.id = any(lists) and k.ended_at is null and k.account_id = s.owner_id
      and (k.repository_id is null or k.repository_id = u.repository_id) and (k.includes_private or not s.is_private)
      and (not r.is_private or coalesce(r.credential_name <> all(k.excluded), true))
      -- A later part of a list that is being made reads the others.
      and (k.made_until is null or u.account_id <= k.made_until)
    where u.transaction_id = pg_current_xact_id()
    union all
    select k.id, s.account_id, 0
    from ranks s join rankings k on k.id = s.ranking_id and k.id = any(lists) and k.ended_at is null
    where s.account_id = any(persons) and s.until_version is null
  ), differences as (
    select c.ranking_id, k.version + 1 as version, c.account_id, sum(c.added) as added
    from changed c join rankings k on k.id = c.ranking_id
    group by c.ranking_id, k.version, c.account_id having sum(c.added) <> 0 or c.account_id = any(persons)
  ), ended as (
    update ranks s set until_version = d.version, ended_at = now()
    from differences d where s.ranking_id = d.ranking_id and s.account_id = d.account_id and s.until_version is null
    returning s.ranking_id, s.account_id, s.contributions, s.is_counted
  ), saved as (
    insert into ranks (ranking_id, account_id, contributions, name_key, is_counted, since_version)
    select d.ranking_id, a.id, coalesce(e.contributions, 0) + d.added, lower(a.name), is_counted(a), d.version
    from differences d join accounts a on a.id = d.account_id
    left join ended e on e.ranking_id = d.ranking_id and e.account_id = d.account_id
    where coalesce(e.contributions, 0) + d.added > 0
    returning ranking_id, is_counted
  )
  update rankings k set version = k.version + 1, people = k.people + counted.added
  from (
    select ranking_id, sum(number) as added from (
      select ranking_id, 0 as number from differences
      union all select ranking_id, is_counted::integer from saved
      union all select ranking_id, - is_counted::integer from ended) numbers
    group by ranking_id) counted
  where k.id = counted.ranking_id;

  if persons is not null then
    delete from ranks s where account_id = any(persons) and not exists (select from accounts a where a.id = s.account_id);
  end if;
end $$;
