-- Queues the evaluation of achievements in the statement that changes the account of an address, for every writer, where
-- a repository has an achievements file. Stores of contributions and commits queue their own; see
-- contributions/affected-store.ts.

create or replace function queue_evaluations_of_identities() returns trigger language plpgsql as $$
declare
  changed record;
  users uuid[];
begin
  for changed in
    select n.id, array[n.account_id, o.account_id] as account_ids from new_rows n join old_rows o using (id)
    where n.account_id is distinct from o.account_id
  loop
    -- A statement of its own, because Citus relates no table that is divided by repository to one that is not.
    select array_agg(repository_id) into users from repository_identities where identity_id = changed.id;
    insert into pending_evaluations (repository_id, account_id, kind)
    select f.repository_id, a.id, 'commit' from achievement_files f cross join accounts a
    where f.repository_id = any(users) and f.path is not null and a.id = any(changed.account_ids) and a.type = 'user';
  end loop;
  return null;
end $$;

create or replace trigger identities_updated_noted after update on identities
referencing old table as old_rows new table as new_rows for each statement
execute function queue_evaluations_of_identities();
