import { type Kysely, sql } from 'kysely';

const statements = [
  sql`alter table repositories add column needs text[] not null default '{}'`,
  sql`
    create table lacking_details (
      repository_id uuid not null references repositories on delete cascade,
      detail text not null check (detail in ('commit_lines', 'pull_request_files')),
      key text not null,
      primary key (repository_id, detail, key)
    )`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
