import { type Kysely, sql } from 'kysely';

const statements = [
  sql`alter table lookups drop constraint lookups_state_check`,
  sql`
    alter table lookups add constraint lookups_state_check
      check (state in ('running', 'absent', 'failed', 'delayed_by_allowance', 'delayed_by_quota'))`,
  // True when an owner requested the lookup, which then does not wait for the allowance of visitors.
  sql`alter table lookups add column for_owner boolean not null default false`,
  // Each claim that is delayed counts the delayed ones.
  sql`
    create index lookups_delayed on lookups (retry_at)
      where state in ('delayed_by_allowance', 'delayed_by_quota')`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
