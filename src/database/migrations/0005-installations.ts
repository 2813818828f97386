import { type Kysely, sql } from 'kysely';

const statements = [
  sql`
    create table installations (
      provider text not null,
      id text not null,
      source text not null check (source in ('app', 'operator')),
      account_external_id text not null,
      account_name text not null,
      access text,
      covers text not null check (covers in ('all', 'selected')),
      missing_permissions text[] not null,
      suspended_at timestamptz,
      removed_at timestamptz,
      seen_at timestamptz not null,
      covered_at timestamptz,
      created_at timestamptz not null,
      primary key (provider, id)
    )`,
  sql`create index installations_account on installations (provider, account_external_id)`,
  sql`
    create table covered_repositories (
      provider text not null,
      installation_id text not null,
      repository_external_id text not null,
      primary key (provider, installation_id, repository_external_id),
      foreign key (provider, installation_id) references installations on delete cascade
    )`,
  sql`create index repositories_installed on repositories (installed_at) where installed_at is not null`,
  sql`
    create table delivery_checks (
      provider text primary key,
      checked_until timestamptz not null,
      cursor text,
      newest_at timestamptz
    )`,
  sql`
    create table redeliveries (
      provider text not null,
      delivery_id text not null,
      attempt_id text not null,
      asked integer not null,
      found_at timestamptz not null,
      primary key (provider, delivery_id)
    )`,
  sql`create index redeliveries_age on redeliveries (found_at)`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
