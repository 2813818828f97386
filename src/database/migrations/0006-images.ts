import { type Kysely, sql } from 'kysely';

/**
 * Images that cards show. Triggers delete an avatar when the last account with its address is deleted or changes its
 * avatar.
 */
const statements = [
  sql`
    create table images (
      url text primary key,
      small bytea,
      large bytea,
      etag text,
      failures integer not null,
      refresh_at timestamptz not null,
      used_at timestamptz not null
    )`,
  sql`create index images_used on images (used_at)`,
  sql`create index accounts_avatar on accounts (avatar_url)`,
  sql`
    create function drop_image() returns trigger language plpgsql as $$
    begin
      delete from images where url = old.avatar_url
        and not exists (select from accounts a where a.avatar_url = old.avatar_url and a.id <> old.id);
      return null;
    end $$`,
  sql`create trigger accounts_deleted_image after delete on accounts for each row execute function drop_image()`,
  sql`
    create trigger accounts_changed_image after update of avatar_url on accounts for each row
    when (old.avatar_url is distinct from new.avatar_url) execute function drop_image()`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
