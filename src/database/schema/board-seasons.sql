-- Signed statements name people. Those of all versions of a season disappear in the transaction that erases or hides one
-- of them, because a version may name those of the version before; a job then signs a version without them.
-- A version that is being signed changes as well, so that its statement is not stored (`signNext` in boards/seasons).

create or replace function withdraw_statements_of_erased() returns trigger language plpgsql as $$
begin
  -- Rows of seasons are locked in the order of their keys, here and where versions are added.
  update board_seasons set statement = null where ctid = any(array(
    select ctid from board_seasons
    where board_id = old.board_id and number = old.number and (statement is not null or not is_written)
    order by board_id, number, version for no key update));
  return null;
end $$;

create or replace trigger board_season_ranks_erased after update of account_id on board_season_ranks
for each row when (old.account_id is not null and new.account_id is null and not new.is_anonymous)
execute function withdraw_statements_of_erased();

-- Returns the seasons of which a version lists an account, or will when its table is stored, and those whose rule names `key`,
-- its `provider/name` in lower case. Without the settings, PostgreSQL might read the lists of all people of all seasons that
-- are being stored: its estimate does not include what lies outside of their rows.
create or replace function seasons_of_account(account uuid, key text) returns table (board_id uuid, number integer)
language sql stable set enable_seqscan = off set enable_indexscan = off as $$
  select board_id, number from board_season_ranks where account_id = account
  union select board_id, number from next_season_ranks where account_ids @> array[account]
  union select board_id, number from board_seasons where people @> array[key]
  union select board_id, number from withdrawn_names where name = key
$$;

create or replace function withdraw_statements_of_hidden() returns trigger language plpgsql as $$
declare
  key constant text := old.provider || '/' || lower(old.name);
  -- Organizations are on no board, and their repositories stay in the rules of boards.
  named constant text := case when new.type <> 'organization' then key end;
begin
  -- A version that is being signed may name this account: either it sees this change, or this statement waits for its end. One
  -- that was stored after this statement is signed when this transaction has ended.
  perform hold_signing();
  perform from board_seasons where not is_written
    and (board_id, number) in (select f.board_id, f.number from seasons_of_account(new.id, named) f)
  order by board_id, number, version for no key update;
  if new.hidden or new.hidden_by_host or new.deleted_at is not null then
    insert into withdrawn_names (board_id, number, name)
    select f.board_id, f.number, key from seasons_of_account(new.id, named) f
    join boards b on b.id = f.board_id and b.owner_id <> new.id order by 1, 2
    on conflict do nothing;
  end if;
  update board_seasons set statement = null where ctid = any(array(
    select s.ctid from board_seasons s
    where (s.statement is not null or not s.is_written) and (s.board_id, s.number) in (
      select board_id, number from board_season_ranks where account_id = new.id
      union select board_id, number from withdrawn_names where name = key)
    order by s.board_id, s.number, s.version for no key update));
  perform announce_accounts(array(
    select b.owner_id from (
      select board_id from board_season_ranks where account_id = new.id
      union all select board_id from board_ranks where account_id = new.id
      union all select board_id from withdrawn_names where name = key
      limit max_announced() + 1) m join boards b on b.id = m.board_id));
  return null;
end $$;

create or replace trigger accounts_hidden_on_boards after update on accounts
for each row when ((old.hidden, old.hidden_by_host, old.deleted_at is null)
  is distinct from (new.hidden, new.hidden_by_host, new.deleted_at is null))
execute function withdraw_statements_of_hidden();
