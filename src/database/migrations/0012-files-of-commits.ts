import { type Kysely, sql } from 'kysely';

const statements = [
  sql`
    alter table lacking_details drop constraint lacking_details_detail_check,
      add check (detail in ('commit_lines', 'commit_files', 'pull_request_files'))`,
  // Files that were read before are read again, because they may contain conditions that could not be evaluated then.
  sql`update achievement_files set revision = null where text like '%files%'`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
