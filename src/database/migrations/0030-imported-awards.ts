import { type Kysely, sql } from 'kysely';

/** Awards from another service keep their ids: as the id of the award, or beside the id of an award that exists here. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`alter table awards add column imported_at timestamptz, add column imported_id uuid unique`.execute(
    database,
  );
}
