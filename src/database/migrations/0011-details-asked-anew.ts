import { type Kysely, sql } from 'kysely';

/** How often a detail was noted: one that is noted again while it is asked for has to be asked for again. */
const statements = [sql`alter table lacking_details add column noted integer not null default 1`];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
