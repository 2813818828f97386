-- Totals and days change in the same statement as contributions, for every writer. The functions `counters_of` and
-- `count_changes` follow from the list of counters; see count-changes.ts. Commits are counted once they are stored and
-- their authors known.

create or replace function count_inserted() returns trigger language plpgsql as $$
begin
  perform count_changes(
    array_agg(repository_id), array_agg(account_id), array_agg(day), array_agg(counter), array_agg(n), array_agg(n))
  from (
    select i.repository_id, c.account_id, c.day, c.counter, count(*) as n
    from new_rows i, counters_of(i) c group by i.repository_id, c.account_id, c.day, c.counter) changes;
  return null;
end $$;

create or replace function count_deleted() returns trigger language plpgsql as $$
begin
  perform count_changes(
    array_agg(repository_id), array_agg(account_id), array_agg(day), array_agg(counter), array_agg(n), array_agg(n))
  from (
    select i.repository_id, c.account_id, c.day, c.counter, -count(*) as n
    from old_rows i, counters_of(i) c group by i.repository_id, c.account_id, c.day, c.counter) changes;
  return null;
end $$;

create or replace function count_updated() returns trigger language plpgsql as $$
begin
  if not exists (select from new_rows) then return null; end if;
  perform count_changes(
    array_agg(repository_id), array_agg(account_id), array_agg(day), array_agg(counter), array_agg(n), array_agg(n))
  from (
    select repository_id, account_id, day, counter, sum(sign) as n
    from (
      select i.repository_id, c.account_id, c.day, c.counter, 1 as sign from new_rows i, counters_of(i) c
      union all
      select i.repository_id, c.account_id, c.day, c.counter, -1 from old_rows i, counters_of(i) c) counted
    group by repository_id, account_id, day, counter having sum(sign) <> 0) changes;
  return null;
end $$;

create or replace trigger contributions_inserted after insert on contributions
referencing new table as new_rows for each statement execute function count_inserted();

create or replace trigger contributions_deleted after delete on contributions
referencing old table as old_rows for each statement execute function count_deleted();

create or replace trigger contributions_updated after update on contributions
referencing old table as old_rows new table as new_rows for each statement execute function count_updated();
