-- Keeps how a repository was visible before it changed, so that a number can be compared with that of a former moment.

create or replace function keep_former_repository() returns trigger language plpgsql as $$
begin
  insert into former_repositories (repository_id, owner_id, is_private, is_deleted, until)
  select new.id, old.owner_id, old.is_private, old.deleted_at is not null, clock_timestamp()
  where exists (select from accounts where id = old.owner_id);
  return null;
end $$;

create or replace trigger repositories_kept after update on repositories
for each row when ((old.owner_id, old.is_private, old.deleted_at is null)
  is distinct from (new.owner_id, new.is_private, new.deleted_at is null))
execute function keep_former_repository();
