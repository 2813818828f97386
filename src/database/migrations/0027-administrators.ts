import { type Kysely, sql } from 'kysely';

/**
 * Keys and embed links belong to the person who registered them. The keys and links of a user account belong to that
 * account, because only the account itself could register them. Those of organizations have no known holder and end 30
 * days after the upgrade, unless an administrator renews them.
 */
const statements = [
  sql`
    create table administrators (
      account_id uuid not null references accounts on delete cascade,
      person text not null,
      name text not null,
      confirmed_at timestamptz not null,
      can_check boolean,
      check_after timestamptz not null,
      primary key (account_id, person)
    )`,
  sql`create index administrators_due on administrators (check_after)`,
  sql`create index administrators_person on administrators (person)`,
  sql`
    alter table owner_keys add column holder text, add column holder_name text, add column ends_at timestamptz,
      add column suspended_at timestamptz, add column ended_at timestamptz`,
  sql`
    alter table embeds add column holder text, add column holder_name text, add column ends_at timestamptz,
      add column suspended_at timestamptz, add column ended_at timestamptz`,
  sql`
    update owner_keys k set holder = a.external_id, holder_name = a.provider || '/' || a.name,
      ends_at = greatest(k.created_at + interval '400 days', current_timestamp + interval '30 days')
    from accounts a where a.id = k.account_id and a.type <> 'organization'`,
  sql`update owner_keys set ends_at = current_timestamp + interval '30 days' where holder is null`,
  sql`alter table owner_keys alter column ends_at set not null`,
  sql`
    update embeds e set holder = a.external_id, holder_name = a.provider || '/' || a.name
    from accounts a where a.id = e.account_id and a.type <> 'organization'`,
  sql`update embeds set ends_at = current_timestamp + interval '30 days' where holder is null`,
  sql`alter table audit_entries add column person text`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
