-- Signed statements name people. Those of all versions of a season are shown no more from the transaction on that erases or
-- hides one of them, because a version may name those of the version before; a job then signs a version without them.
-- A version that is being signed is changed with them, so that its statement is not stored (`signNext` in boards/seasons).

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

-- Returns some seasons after the one with the given key, in the order of their keys: those of which a version lists an account,
-- or will when its table is stored, and those whose rule names `key`, its `provider/name` in lower case. Without the settings,
-- PostgreSQL might read the lists of all people of all seasons that are being stored: its estimate does not include what lies
-- outside of their rows.
create or replace function seasons_of_account(account uuid, key text, after_board uuid, after_number integer, most integer)
returns table (board_id uuid, number integer)
language sql stable set enable_seqscan = off set enable_indexscan = off as $$
  select f.board_id, f.number from (
    (select distinct r.board_id, r.number from board_season_ranks r
      where r.account_id = account and (r.board_id, r.number) > (after_board, after_number) order by 1, 2 limit most)
    union select n.board_id, n.number from next_season_ranks n where n.account_ids @> array[account]
    union select s.board_id, s.number from board_seasons s where s.people @> array[key]
    union select w.board_id, w.number from withdrawn_names w where w.name = key) f
  where (f.board_id, f.number) > (after_board, after_number) order by 1, 2 limit most
$$;

-- Returns whether readers may not see the statements of a season, because it names an account that was erased or hidden, and
-- a job still has to withdraw them. Those of seasons up to the key of an entry of `pending_withdrawals` were withdrawn for it.
create or replace function is_withdrawn(board uuid, season integer) returns boolean language sql stable as $$
  select exists (
    select from pending_withdrawals w where (board, season) > (w.board_id, w.number) and (
      exists (select from board_season_ranks r where r.account_id = w.account_id and r.board_id = board and r.number = season)
      or exists (select from board_seasons s where s.board_id = board and s.number = season and s.people @> array[w.name])))
$$;

-- A person may be in hundreds of seasons, so that this notes the account alone, which readers of statements see at once. A job
-- withdraws the statements (`withdrawSome` in boards/seasons).
create or replace function withdraw_statements_of_hidden() returns trigger language plpgsql as $$
declare
  -- Organizations are on no board, and their repositories stay in the rules of boards.
  named constant text := case when new.type <> 'organization' then old.provider || '/' || lower(old.name) end;
  boards_of_seasons uuid[];
begin
  -- A version that is being counted, which this transaction does not see, is signed when it has ended.
  perform hold_signing();
  boards_of_seasons := array(select board_id from seasons_of_account(new.id, named,
    '00000000-0000-0000-0000-000000000000', 0, max_announced() + 1));
  if (new.hidden or new.hidden_by_host or new.deleted_at is not null) and cardinality(boards_of_seasons) > 0 then
    insert into pending_withdrawals (account_id, name) values (new.id, named);
  end if;
  perform announce_accounts(array(
    select b.owner_id from (
      select unnest(boards_of_seasons) as board_id
      union all select board_id from board_ranks where account_id = new.id
      limit max_announced() + 1) m join boards b on b.id = m.board_id));
  return null;
end $$;

create or replace trigger accounts_hidden_on_boards after update on accounts
for each row when ((old.hidden, old.hidden_by_host, old.deleted_at is null)
  is distinct from (new.hidden, new.hidden_by_host, new.deleted_at is null))
execute function withdraw_statements_of_hidden();
