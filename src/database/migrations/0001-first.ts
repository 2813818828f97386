import { type Kysely, sql } from 'kysely';

const statements = [
  sql`
    create table accounts (
      id uuid primary key,
      provider text not null,
      external_id text not null,
      handle text not null,
      type text not null check (type in ('user', 'organization', 'bot')),
      name text not null,
      display_name text not null default '',
      avatar_url text not null default '',
      website text not null default '',
      description text not null default '',
      socials jsonb,
      followers integer not null default 0,
      following integer not null default 0,
      experience integer not null default 0,
      named_at timestamptz not null,
      asked_at timestamptz,
      pinned boolean not null default false,
      gone_at timestamptz,
      provider_memory jsonb,
      listing_cursor text,
      listing_started_at timestamptz,
      listed_at timestamptz,
      uncollected text[] not null default '{commit,issue,pull_request,review,discussion}',
      contributors_version bigint not null default 0,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      unique (provider, external_id)
    )`,
  sql`create index accounts_name on accounts (provider, lower(name), named_at desc)`,
  sql`create index accounts_gone on accounts (gone_at) where gone_at is not null`,
  sql`
    create table former_names (
      provider text not null,
      name_key text not null,
      account_id uuid not null references accounts on delete cascade,
      left_at timestamptz not null,
      check_after timestamptz not null,
      primary key (provider, name_key, account_id)
    )`,
  sql`create index former_names_account on former_names (account_id)`,
  sql`
    create table questions (
      key text primary key,
      state text not null check (state in ('asked', 'absent', 'failed')),
      error_code text,
      error_message text,
      retry_at timestamptz not null
    )`,
  sql`
    create table counters (
      account_id uuid not null references accounts on delete cascade,
      day date not null,
      commits integer,
      issues integer,
      pull_requests integer,
      reviews integer,
      stars integer,
      contributed_to integer,
      issues_closed integer,
      pull_requests_merged integer,
      discussions integer,
      discussions_answered integer,
      missing text[] not null default '{}',
      updated_at timestamptz not null,
      primary key (account_id, day)
    )`,
  sql`
    create table repositories (
      id uuid primary key,
      provider text not null,
      external_id text not null,
      handle text not null,
      owner_id uuid not null references accounts on delete cascade,
      name text not null,
      description text not null default '',
      language text not null default '',
      license text not null default '',
      default_branch text not null default '',
      is_private boolean not null,
      is_fork boolean not null,
      stars integer not null default 0,
      forks integer not null default 0,
      open_issues integer not null default 0,
      size_kib bigint not null default 0,
      named_at timestamptz not null,
      listed_at timestamptz not null,
      collected_at timestamptz,
      collector_node integer,
      gone_at timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      unique (provider, external_id)
    )`,
  sql`create index repositories_owner on repositories (owner_id, lower(name))`,
  sql`
    create table streams (
      repository_id uuid not null references repositories on delete cascade,
      name text not null,
      covers text[] not null,
      cursor text,
      page_size integer,
      scan_started_at timestamptz,
      scan_is_full boolean not null default true,
      scan_total integer,
      scan_number integer not null default 0,
      pending_tips text[] not null default '{}',
      known_until timestamptz,
      completed_at timestamptz,
      full_scan_at timestamptz,
      provider_total integer,
      provider_changed_at timestamptz,
      provider_revision text,
      failure text,
      primary key (repository_id, name)
    )`,
  sql`
    create table contributions (
      repository_id uuid not null references repositories on delete cascade,
      kind text not null check (kind in ('issue', 'pull_request', 'review', 'discussion')),
      external_id text not null,
      parent_external_id text,
      account_id uuid references accounts on delete set null,
      answered_by uuid references accounts on delete set null,
      answered boolean not null default false,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      closed_at timestamptz,
      merged_at timestamptz,
      seen_at timestamptz not null,
      primary key (repository_id, kind, external_id)
    )`,
  sql`create index contributions_account on contributions (account_id)`,
  sql`create index contributions_answered_by on contributions (answered_by) where answered_by is not null`,
  sql`create index contributions_parent on contributions (repository_id, parent_external_id) where parent_external_id is not null`,
  sql`
    create table identities (
      id integer generated always as identity primary key,
      provider text not null,
      email text not null,
      account_id uuid references accounts on delete set null,
      resolved_at timestamptz,
      unique (provider, email)
    )`,
  sql`create index identities_account on identities (account_id)`,
  sql`
    create table commits (
      repository_id uuid not null references repositories on delete cascade,
      oid bytea not null,
      authored_at timestamptz not null,
      committed_at timestamptz not null,
      scan_number integer not null,
      identity_ids integer[] not null,
      primary key (repository_id, oid)
    )`,
  sql`
    create table repository_totals (
      repository_id uuid primary key references repositories on delete cascade,
      commits integer not null,
      issues integer not null,
      issues_closed integer not null,
      pull_requests integer not null,
      pull_requests_merged integer not null,
      reviews integer not null,
      discussions integer not null,
      discussions_answered integer not null
    )`,
  sql`
    create table contributor_totals (
      repository_id uuid not null references repositories on delete cascade,
      account_id uuid not null references accounts on delete cascade,
      commits integer not null,
      issues integer not null,
      pull_requests integer not null,
      reviews integer not null,
      discussions integer not null,
      primary key (repository_id, account_id)
    )`,
  sql`create index contributor_totals_account on contributor_totals (account_id)`,
  sql`
    create table rankings (
      id bigint generated always as identity primary key,
      account_id uuid not null references accounts on delete cascade,
      repository_id uuid references repositories on delete cascade,
      version bigint not null,
      built_at timestamptz not null,
      unique nulls not distinct (account_id, repository_id, version)
    )`,
  sql`create index rankings_repository on rankings (repository_id) where repository_id is not null`,
  sql`
    create table ranks (
      ranking_id bigint not null references rankings on delete cascade,
      rank integer not null,
      account_id uuid not null references accounts on delete cascade,
      contributions integer not null,
      primary key (ranking_id, rank)
    )`,
  sql`create index ranks_account on ranks (account_id)`,
  sql`create table secrets (name text primary key, value bytea not null)`,
  sql`create sequence node_numbers as integer cycle`,
  sql`create table workers (id text primary key, node integer not null)`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(database);
}
