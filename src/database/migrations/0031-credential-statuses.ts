import { type Kysely, sql } from 'kysely';

/** An entry stays when its award is erased, so that the credential reads as revoked. A list has 131,072 bits. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table credential_statuses (
      list integer not null,
      position integer not null check (position between 0 and 131071),
      award_id uuid unique references awards on delete set null,
      primary key (list, position)
    )`.execute(database);
}
