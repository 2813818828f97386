-- Queues the evaluation of achievements in the statement that changes the account of an address, for every writer, where
-- a repository has an achievements file. Stores of contributions and commits queue their own; see
-- contributions/affected-store.ts.

create or replace function queue_evaluations_of_identities() returns trigger language plpgsql as $$
begin
  insert into pending_evaluations (repository_id, account_id, kind)
  select distinct f.repository_id, a.id, 'commit'
  from new_rows n join old_rows o using (id)
  join repository_identities used on used.identity_id = n.id
  join achievement_files f on f.repository_id = used.repository_id and f.path is not null
  cross join unnest(array[n.account_id, o.account_id]) as p (account_id)
  join accounts a on a.id = p.account_id and a.type = 'user'
  where n.account_id is distinct from o.account_id;
  return null;
end $$;

create or replace trigger identities_updated_noted after update on identities
referencing old table as old_rows new table as new_rows for each statement
execute function queue_evaluations_of_identities();
