-- Records repositories whose rows in the tables that are divided by repository are still to be removed:
-- docs/decisions/0064-tables-by-repository.md.

create or replace function record_erased_repositories() returns trigger language plpgsql as $$
begin
  insert into erased_repositories select id from erased on conflict do nothing;
  return null;
end $$;

create or replace trigger repositories_erased after delete on repositories
referencing old table as erased for each statement execute function record_erased_repositories();

-- Returns the next distinct ids in a column, in their order: one entry of its index for each, however many rows have it.
create or replace function next_ids(relation text, attribute text, after uuid, at_most integer)
returns uuid[] language plpgsql stable as $$
declare
  ids uuid[] := '{}';
  found_id uuid := after;
begin
  for place in 1 .. at_most loop
    execute format('select %2$I from %1$I where %2$I > $1 order by %2$I limit 1', relation, attribute) into found_id using found_id;
    exit when found_id is null;
    ids := ids || found_id;
  end loop;
  return ids;
end $$;
