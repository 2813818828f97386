-- Records the accounts whose stored numbers change, in the transaction that changes them, so that a kill between any
-- two steps loses none. `sync/update-totals.ts` reads them.

create or replace function record_changed_contributors(repository_ids uuid[], account_ids uuid[]) returns void
language plpgsql as $$
begin
  insert into changed_contributors as c (repository_id, account_id, is_update)
  select r.id, a.id, r.collected_at is not null
  from (select distinct repository_id, account_id
    from unnest(repository_ids, account_ids) as u (repository_id, account_id)) changed
  join repositories r on r.id = changed.repository_id join accounts a on a.id = changed.account_id
  order by r.id, a.id
  on conflict (repository_id, account_id) do update set is_update = true where excluded.is_update and not c.is_update;
end $$;

-- Records the repositories that count for other accounts than before: their people follow in batches, because they may be
-- thousands. Nodes drop kept responses about these people at once, which have the numbers of before.
create or replace function record_changed_repositories() returns trigger language plpgsql as $$
declare
  changed uuid[] := array(
    select n.id from new_rows n join old_rows o using (id)
    where (o.owner_id, o.is_private, o.deleted_at is null, o.is_fork)
      is distinct from (n.owner_id, n.is_private, n.deleted_at is null, n.is_fork)
    order by n.id);
  repository uuid;
  people uuid[];
begin
  insert into changed_repositories (repository_id) select unnest(changed)
  on conflict (repository_id) do update set position = null;
  -- The people of each repository are at one place of a divided database. Where they are more than a few, all accounts are
  -- named, so that a withdrawn credential, which hides thousands of repositories, costs the same with more people.
  foreach repository in array changed loop
    exit when count_announced() > max_announced();
    people := array(select account_id from contributor_totals where repository_id = repository limit 21);
    if cardinality(people) > 20 then
      perform announce_all();
    else
      perform announce_accounts(people);
    end if;
  end loop;
  return null;
end $$;

create or replace trigger repositories_shown_otherwise after update on repositories
referencing old table as old_rows new table as new_rows for each statement
execute function record_changed_repositories();
