-- Queues the evaluation of achievements in the statement that changes the account of an address, for every writer, where
-- a repository has an achievements file. Stores of contributions and commits queue their own; see
-- contributions/affected-store.ts.

-- Queues evaluations in the next repositories that use an address, `most` at most, and notes when there may be more, which
-- `queueNextOfAddresses` queues later. Returns the number of these repositories.
create or replace function queue_evaluations_of_identity(identity integer, people uuid[], last uuid, most integer)
returns integer language plpgsql as $$
declare
  -- A statement of its own, because Citus relates no table that is divided by repository to one that is not. Materialized,
  -- because the planner might read the repositories in their order, with all their addresses.
  users uuid[] := array(
    with used as materialized (select repository_id from repository_identities where identity_id = identity)
    select repository_id from used where repository_id > last order by repository_id limit most);
begin
  insert into pending_evaluations (repository_id, account_id, kind)
  select f.repository_id, a.id, 'commit' from achievement_files f cross join accounts a
  where f.repository_id = any(users) and f.path is not null and a.id = any(people) and a.type = 'user';
  if cardinality(users) = most then
    insert into changed_identities (identity_id, account_ids, queued_until)
    values (identity, people, coalesce(users[most], last));
  end if;
  return cardinality(users);
end $$;

create or replace function queue_evaluations_of_identities() returns trigger language plpgsql as $$
declare
  changed record;
  remaining integer := 5000;
begin
  for changed in
    select n.id, array[n.account_id, o.account_id] as account_ids from new_rows n join old_rows o using (id)
    where n.account_id is distinct from o.account_id
  loop
    remaining := remaining - queue_evaluations_of_identity(
      changed.id, changed.account_ids, '00000000-0000-0000-0000-000000000000', remaining);
  end loop;
  return null;
end $$;

create or replace trigger identities_updated_noted after update on identities
referencing old table as old_rows new table as new_rows for each statement
execute function queue_evaluations_of_identities();
