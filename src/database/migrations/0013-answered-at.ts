import { type Kysely, sql } from 'kysely';

/** The time when the answer of a discussion was accepted, at which its author earned something by it. */
const statements = [sql`alter table contributions add column answered_at timestamptz`];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
