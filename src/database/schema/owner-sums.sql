-- Marks repositories whose part of the sums of their owner may change: those that become visible, hidden, another
-- account's, stars, forks, or of which other kinds of contributions are completely known. `count_changes` and recounts
-- mark those with other totals. The functions are in owner-sums.ts; they follow from the list of counters.

create or replace function mark_this_repository() returns trigger language plpgsql as $$
begin
  perform mark_unsummed(array[coalesce(new.id, old.id)]);
  return null;
end $$;

create or replace function mark_its_repository() returns trigger language plpgsql as $$
begin
  perform mark_unsummed(array[coalesce(new.repository_id, old.repository_id)]);
  return null;
end $$;

create or replace trigger repositories_summed after insert or delete on repositories
for each row execute function mark_this_repository();

create or replace trigger repositories_summed_otherwise after update on repositories
for each row when ((old.owner_id, old.is_private, old.deleted_at is null, old.is_fork, old.stars)
  is distinct from (new.owner_id, new.is_private, new.deleted_at is null, new.is_fork, new.stars))
execute function mark_this_repository();

create or replace trigger streams_summed after insert or delete on streams
for each row execute function mark_its_repository();

create or replace trigger streams_summed_otherwise after update on streams
for each row when ((old.covers, old.completed_at is null, is_read_again(old.failure))
  is distinct from (new.covers, new.completed_at is null, is_read_again(new.failure)))
execute function mark_its_repository();

create or replace trigger skipped_items_summed after insert or delete on skipped_items
for each row execute function mark_its_repository();

create or replace trigger skipped_items_summed_otherwise after update on skipped_items
for each row when ((old.kind, old.is_counted, old.is_stored) is distinct from (new.kind, new.is_counted, new.is_stored))
execute function mark_its_repository();

create constraint trigger unsummed_repositories_summed after insert on unsummed_repositories
deferrable initially deferred for each row execute function sum_marked();

create or replace function delete_sums() returns trigger language plpgsql as $$
begin
  delete from owner_sums where owner_id in (select id from old_rows);
  return null;
end $$;

create or replace trigger accounts_sums_deleted after delete on accounts
referencing old table as old_rows for each statement execute function delete_sums();
