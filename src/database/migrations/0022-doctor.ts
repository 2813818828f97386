import { type Kysely, sql } from 'kysely';

const statements = [
  // The last difference between stored data and the host, one row for each repository and part of it.
  sql`
    create table drifts (
      repository_id uuid not null references repositories on delete cascade,
      what text not null,
      expected integer not null,
      found integer not null,
      is_repaired boolean not null,
      found_at timestamptz not null,
      primary key (repository_id, what)
    )`,
  // Only counts are stored. Every sender can cause a rejected delivery, so its content is dropped.
  sql`
    create table rejected_deliveries (
      provider text not null,
      reason text not null,
      count bigint not null check (count > 0),
      first_at timestamptz not null,
      last_at timestamptz not null,
      primary key (provider, reason)
    )`,
  // The time when a delivery about an account or its repositories was last applied; deliveries do not keep that.
  sql`
    create table owner_deliveries (
      account_id uuid primary key references accounts on delete cascade,
      applied_at timestamptz not null
    )`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
