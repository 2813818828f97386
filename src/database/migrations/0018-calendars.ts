import { type Kysely, sql } from 'kysely';

/**
 * Users' contributions by day as their providers report them. `counts` has one number for each day from `first_day` on.
 */
const statements = [
  sql`
    create table calendars (
      account_id uuid primary key references accounts on delete cascade,
      first_day date not null,
      counts integer[] not null check (cardinality(counts) between 1 and 371),
      total integer not null,
      includes_private boolean not null,
      fetched_at timestamptz not null
    )`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
