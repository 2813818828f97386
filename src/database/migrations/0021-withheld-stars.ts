import { type Kysely, sql } from 'kysely';

const statements = [
  // Set: the host did not show the list when it was read then, and what is stored of it is what deliveries said.
  sql`alter table streams add column withheld_at timestamptz`,
  sql`
    create table star_events (
      repository_id uuid not null references repositories on delete cascade,
      external_id text not null,
      at timestamptz not null,
      balance integer not null,
      noted_at timestamptz not null,
      primary key (repository_id, external_id, at)
    )`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
