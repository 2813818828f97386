-- Deletes an avatar when the last account with its address is deleted or has another one.

create or replace function drop_image() returns trigger language plpgsql as $$
begin
  delete from images where url = old.avatar_url
    and not exists (select from accounts a where a.avatar_url = old.avatar_url and a.id <> old.id);
  return null;
end $$;

create or replace trigger accounts_deleted_image after delete on accounts
for each row execute function drop_image();

create or replace trigger accounts_changed_image after update of avatar_url on accounts
for each row when (old.avatar_url is distinct from new.avatar_url)
execute function drop_image();
