import { type Kysely, sql } from 'kysely';

const statements = [
  // One row for each place at which responses about a repository or an account could not be read, for any number of
  // items.
  sql`
    create table skipped_items (
      provider text not null,
      repository_id uuid references repositories on delete cascade,
      account_id uuid references accounts on delete cascade,
      stream text not null,
      kind text not null,
      reason text not null check (reason in ('unreadable', 'refused')),
      path text not null,
      explanation text not null default '',
      is_stored boolean not null,
      is_counted boolean not null,
      items integer not null check (items > 0),
      first_seen_at timestamptz not null,
      seen_at timestamptz not null,
      check (num_nonnulls(repository_id, account_id) = 1)
    )`,
  sql`
    create unique index skipped_items_place on skipped_items (
      coalesce(repository_id, account_id), stream, kind, reason, path, is_stored)`,
  sql`create index skipped_items_repository on skipped_items (repository_id) where repository_id is not null`,
  sql`create index skipped_items_account on skipped_items (account_id) where account_id is not null`,
  sql`
    alter table streams
      add column failed_at timestamptz,
      add column failure_reason text`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
