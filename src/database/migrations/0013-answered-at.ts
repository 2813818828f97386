import { type Kysely, sql } from 'kysely';

/** When the answer of a discussion was accepted: the moment at which who wrote it earned something by it. */
const statements = [sql`alter table contributions add column answered_at timestamptz`];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
