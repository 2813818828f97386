import { type Kysely, sql } from 'kysely';

/**
 * Notes the accounts whose stored numbers changed, in the transaction that changes them, so that a kill between any two
 * steps loses none; and the time when the repositories of an installed owner are polled next.
 */
const statements = [
  sql`
    create table changed_contributors (
      repository_id uuid not null references repositories on delete cascade,
      account_id uuid not null references accounts on delete cascade,
      is_news boolean not null,
      primary key (repository_id, account_id)
    )`,
  sql`create index changed_contributors_account on changed_contributors (account_id)`,
  // Rows that are deleted with their repository or account are not noted, because it no longer exists by then.
  sql`
    create function note_changed_contributors() returns trigger language plpgsql as $$
    begin
      insert into changed_contributors as c (repository_id, account_id, is_news)
      select r.id, a.id, r.collected_at is not null
      from (select distinct repository_id, account_id from changed_rows) changed
      join repositories r on r.id = changed.repository_id join accounts a on a.id = changed.account_id
      order by r.id, a.id
      on conflict (repository_id, account_id) do update set is_news = true where excluded.is_news and not c.is_news;
      return null;
    end $$`,
  ...(['contributor_totals', 'contribution_days'] as const).flatMap((table) => [
    sql`
      create trigger ${sql.id(`${table}_noted_insert`)} after insert on ${sql.table(table)}
      referencing new table as changed_rows for each statement execute function note_changed_contributors()`,
    sql`
      create trigger ${sql.id(`${table}_noted_update`)} after update on ${sql.table(table)}
      referencing new table as changed_rows for each statement execute function note_changed_contributors()`,
    sql`
      create trigger ${sql.id(`${table}_noted_delete`)} after delete on ${sql.table(table)}
      referencing old table as changed_rows for each statement execute function note_changed_contributors()`,
  ]),
  sql`
    create table owner_polls (
      account_id uuid primary key references accounts on delete cascade,
      next_at timestamptz not null,
      cost integer not null,
      position text
    )`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
