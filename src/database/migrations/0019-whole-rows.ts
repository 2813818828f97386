import { type Kysely, sql } from 'kysely';

/**
 * Notes changes of contributions and commits by comparing whole rows. The lists of columns in 0007 were not extended
 * when columns were added, so that a changed time of an accepted answer was not noted. The comparison leaves out only
 * the columns that scans write about themselves, or every full scan would evaluate all accounts.
 */
const noting = [
  // Composite values compare all columns, also those that later migrations add. Twice as fast as comparing rows as jsonb.
  sql`
    create function contribution_without_scan(item contributions) returns contributions language plpgsql immutable parallel safe as $$
    begin
      item.seen_at := null;
      item.updated_at := null;
      return item;
    end $$`,
  sql`
    create function commit_without_scan(item commits) returns commits language plpgsql immutable parallel safe as $$
    begin
      item.scan_number := null;
      return item;
    end $$`,
  // Changed labels matter to those who commented too.
  sql`
    create or replace function note_updated() returns trigger language plpgsql as $$
    begin
      insert into achievement_work (repository_id, account_id, kind)
      select distinct n.repository_id, a.id, p.kind
      from achievement_files f join new_rows n using (repository_id)
      join old_rows o using (repository_id, kind, external_id) join repositories r on r.id = n.repository_id
      cross join lateral (
        select people_of(n) as account_id, n.kind
        union select people_of(o), o.kind
        union select c.account_id, c.kind from contributions c
        where n.labels is distinct from o.labels and n.kind in ('issue', 'pull_request')
          and c.repository_id = n.repository_id and c.parent_external_id = n.external_id
          and c.kind in ('issue_comment', 'pull_request_comment', 'review_comment')) p
      join accounts a on a.id = p.account_id and a.type = 'user'
      where f.path is not null and contribution_without_scan(n) is distinct from contribution_without_scan(o);
      return null;
    end $$`,
  sql`
    create or replace function note_updated_commits() returns trigger language plpgsql as $$
    begin
      insert into achievement_work (repository_id, account_id, kind)
      select distinct n.repository_id, a.id, 'commit'
      from new_rows n join old_rows o using (repository_id, oid)
      join achievement_files f on f.repository_id = n.repository_id
      cross join unnest(n.identity_ids || o.identity_ids) as u (identity_id) join identities i on i.id = u.identity_id
      join accounts a on a.id = i.account_id and a.type = 'user'
      where f.path is not null and commit_without_scan(n) is distinct from commit_without_scan(o);
      return null;
    end $$`,
];

/** The addresses of icons contain the default branch at some hosts. */
const announcing = [
  sql`drop trigger repositories_seen_otherwise on repositories`,
  sql`
    create trigger repositories_seen_otherwise after update on repositories
    for each row when ((old.is_private, old.gone_at, old.owner_id, old.name, old.default_branch)
      is distinct from (new.is_private, new.gone_at, new.owner_id, new.name, new.default_branch))
    execute function announce_awarded_in_repository()`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of [...noting, ...announcing]) await statement.execute(database);
}
