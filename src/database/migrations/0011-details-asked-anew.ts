import { type Kysely, sql } from 'kysely';

/**
 * The number of times that a detail was noted: one that is noted again while it is being fetched has to be fetched
 * again.
 */
const statements = [sql`alter table lacking_details add column noted integer not null default 1`];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
