-- Notes people of boards in the transaction that changes their account, or that of an address. Stores of contributions and
-- commits note their own; see contributions/affected-store.ts.

create or replace function note_account_on_boards() returns trigger language plpgsql as $$
begin
  insert into board_changes (board_id, people)
  select board_id, array[new.id] from (
    select board_id from board_ranks where account_id = new.id and until_version is null
    -- The account may be among the people who are counted, and whose rows are not stored yet.
    union select board_id from next_board_rankings) boards;
  return null;
end $$;

create or replace trigger accounts_ranked_otherwise after update on accounts
for each row when (
  (lower(old.name), old.type, old.hidden, old.hidden_by_host, old.deleted_at is null)
  is distinct from (lower(new.name), new.type, new.hidden, new.hidden_by_host, new.deleted_at is null))
execute function note_account_on_boards();

create or replace function note_identities_on_boards() returns trigger language plpgsql as $$
declare
  changed integer[] := array(
    select n.id from new_rows n join old_rows o using (id) where n.account_id is distinct from o.account_id);
  repository_ids uuid[];
begin
  if changed = '{}' then return null; end if;
  repository_ids := array(select distinct repository_id from repository_identities where identity_id = any(changed));
  insert into board_changes (board_id, people, identities)
  select m.board_id, former.people, changed
  from (select distinct board_id from board_repositories where repository_id = any(repository_ids)) m, (
    select array_agg(distinct o.account_id) filter (where o.account_id is not null) as people
    from old_rows o where o.id = any(changed)) former;
  return null;
end $$;

create or replace trigger identities_updated_on_boards after update on identities
referencing old table as old_rows new table as new_rows for each statement
execute function note_identities_on_boards();
