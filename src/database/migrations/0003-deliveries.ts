import { type Kysely, sql } from 'kysely';

const statements = [
  sql`alter table accounts add column listing_wanted_at timestamptz`,
  sql`
    create table deliveries (
      provider text not null,
      id text not null,
      event text not null,
      changes jsonb not null,
      received_at timestamptz not null,
      applied_at timestamptz,
      attempts integer not null default 0,
      primary key (provider, id)
    )`,
  sql`create index deliveries_unapplied on deliveries (attempts, received_at) where applied_at is null`,
  sql`create index deliveries_age on deliveries (received_at)`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
