import { type Kysely, sql } from 'kysely';

/** Images that belong to a repository, such as icons of its achievements, are deleted with it. */
const statements = [
  sql`alter table images add column repository_id uuid references repositories on delete cascade`,
  sql`create index images_repository on images (repository_id) where repository_id is not null`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
