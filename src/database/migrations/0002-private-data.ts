import { type Kysely, sql } from 'kysely';

const statements = [
  sql`alter table accounts add column hidden boolean not null default false`,
  sql`alter table accounts add column publishes_private boolean not null default false`,
  sql`alter table repositories add column access text`,
  sql`create index repositories_gone on repositories (gone_at) where gone_at is not null`,
  sql`create index repositories_newest on repositories (owner_id, created_at desc, id desc)`,
  sql`alter table counters add column includes_private boolean not null default false`,
  sql`alter table counters drop constraint counters_pkey`,
  sql`alter table counters add primary key (account_id, day, includes_private)`,
  sql`alter table rankings add column includes_private boolean not null default false`,
  sql`alter table rankings drop constraint rankings_account_id_repository_id_version_key`,
  sql`
    alter table rankings
      add unique nulls not distinct (account_id, repository_id, includes_private, version)`,
  sql`
    create table seen_totals (
      account_id uuid not null references accounts on delete cascade,
      access text not null,
      counters jsonb not null,
      missing text[] not null,
      provider_memory jsonb,
      asked_at timestamptz not null,
      primary key (account_id, access)
    )`,
  sql`
    create table signing_keys (
      id text primary key,
      public_key jsonb not null,
      private_key jsonb,
      created_at timestamptz not null,
      signs_from timestamptz not null,
      signs_until timestamptz not null,
      published_until timestamptz not null
    )`,
  sql`
    create table owner_keys (
      account_id uuid not null references accounts on delete cascade,
      id text not null,
      kind text not null,
      spki bytea not null,
      created_at timestamptz not null,
      primary key (account_id, id)
    )`,
  sql`
    create table revoked_tokens (
      account_id uuid not null references accounts on delete cascade,
      token_id text not null,
      expires_at timestamptz not null,
      primary key (account_id, token_id)
    )`,
  sql`create index revoked_tokens_end on revoked_tokens (expires_at)`,
  sql`
    create table embeds (
      id uuid primary key,
      account_id uuid not null references accounts on delete cascade,
      path text not null,
      format text not null,
      secret_hash bytea not null unique,
      created_at timestamptz not null
    )`,
  sql`create index embeds_newest on embeds (account_id, id desc)`,
  sql`
    create table audit_entries (
      id uuid primary key,
      account_id uuid not null references accounts on delete cascade,
      action text not null,
      subject text not null,
      actor text not null,
      token_id text,
      at timestamptz not null
    )`,
  sql`create index audit_entries_newest on audit_entries (account_id, id desc)`,
  sql`create index audit_entries_token on audit_entries (account_id, token_id) where token_id is not null`,
  sql`create index audit_entries_age on audit_entries (at)`,
  sql`create table opt_outs (key bytea primary key, person bytea not null, opted_out_at timestamptz not null)`,
  sql`create index opt_outs_person on opt_outs (person)`,
  // Unlogged: counts of one minute are lost when the server crashes, which costs less than logging them.
  sql`
    create unlogged table rate_limits (
      key text primary key,
      count integer not null,
      resets_at timestamptz not null
    )`,
  sql`create index rate_limits_end on rate_limits (resets_at)`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
