import { type Kysely, sql } from 'kysely';

const statements = [
  sql`
    create table repository_webhooks (
      repository_id uuid not null references repositories on delete cascade,
      name text not null,
      kind text not null,
      target jsonb not null,
      receiver text not null,
      achievements text[] not null,
      primary key (repository_id, name)
    )`,
  sql`
    create table notifications (
      id uuid primary key,
      award_id uuid not null references awards on delete cascade,
      account_id uuid not null references accounts on delete cascade,
      repository_id uuid not null references repositories on delete cascade,
      webhook text not null,
      kind text not null,
      target jsonb not null,
      receiver text not null,
      content jsonb not null,
      state text not null check (state in ('waiting', 'sent', 'dead')),
      attempts integer not null default 0,
      next_attempt_at timestamptz not null,
      last_attempt_at timestamptz,
      give_up_at timestamptz not null,
      error text,
      created_at timestamptz not null,
      settled_at timestamptz,
      unique (award_id, receiver)
    )`,
  sql`
    create index notifications_waiting on notifications (receiver, next_attempt_at)
    where state = 'waiting'`,
  sql`create index notifications_newest on notifications (repository_id, id desc)`,
  sql`create index notifications_account on notifications (account_id)`,
  sql`create index notifications_settled on notifications (settled_at) where settled_at is not null`,
  sql`
    create table failing_receivers (
      receiver text primary key,
      failures integer not null,
      resumes_at timestamptz not null
    )`,
  sql`
    create table webhook_secrets (
      id uuid primary key,
      account_id uuid not null references accounts on delete cascade,
      url text not null,
      receiver text not null,
      secret bytea not null,
      former_secret bytea,
      former_until timestamptz,
      changed_at timestamptz not null,
      unique (account_id, receiver)
    )`,
  // Public parts stay, and exports contain them; private parts do not stay, and exports leave them out.
  sql`
    create table credential_keys (
      id text primary key,
      public_key jsonb not null,
      created_at timestamptz not null,
      signs_until timestamptz not null
    )`,
  sql`
    create table credential_signers (
      key_id text primary key references credential_keys on delete cascade,
      private_key jsonb not null
    )`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
