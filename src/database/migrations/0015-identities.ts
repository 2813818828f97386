import { type Kysely, sql } from 'kysely';

/**
 * Until now an address was stored as belonging to no account whenever one response did not show its account. Any of
 * these responses may be wrong, so each address is looked up again where it is used, as a retry: retries are bounded in
 * each read. Found accounts stay.
 */
const statements = [
  sql`
    alter table repository_identities
      add column is_author boolean not null default false,
      add column is_counted boolean not null default true,
      add column attempts integer not null default 0,
      add column retry_at timestamptz`,
  // Rows that are stored already may be counted; rows that are added from now on are not, until a count marks them.
  sql`alter table repository_identities alter column is_counted set default false, drop column oid`,
  sql`
    update repository_identities used set is_author = true
    from (select distinct repository_id, identity_ids[1] as identity_id from commits) authored
    where used.repository_id = authored.repository_id and used.identity_id = authored.identity_id`,
  sql`
    update repository_identities used set attempts = 2, retry_at = i.resolved_at
    from identities i
    where i.id = used.identity_id and i.account_id is null and i.resolved_at is not null and i.email not like 'erased %'`,
  // Otherwise a repository without new commits would not be read again.
  sql`
    update streams set hinted_at = greatest(hinted_at, known_until)
    where name = 'commits' and repository_id in (
      select used.repository_id from repository_identities used join identities i on i.id = used.identity_id
      where i.account_id is null and i.resolved_at is not null and i.email not like 'erased %')`,
  sql`
    update identities set resolved_at = null
    where account_id is null and resolved_at is not null and email not like 'erased %'`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
