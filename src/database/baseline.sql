-- The tables of the database. Functions and triggers are in schema/. Until version 1.0 this file is changed in place: a
-- database with other tables is refused (docs/decisions/0040-migrations-in-parts.md). After that, migrations follow it.

-- Accounts, their names and lookups

create table accounts (
  id uuid primary key,
  provider text not null,
  external_id text not null,
  handle text not null,
  type text not null,
  name text not null,
  display_name text default '' not null,
  avatar_url text default '' not null,
  website text default '' not null,
  description text default '' not null,
  socials jsonb,
  followers integer,
  following integer,
  experience integer default 0 not null,
  named_at timestamptz not null,
  fetched_at timestamptz,
  pinned boolean default false not null,
  deleted_at timestamptz,
  provider_memory jsonb,
  listing_cursor text,
  listing_started_at timestamptz,
  listed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  hidden boolean default false not null,
  publishes_private boolean default false not null,
  listing_wanted_at timestamptz,
  hidden_by_host boolean default false not null,
  checked_at timestamptz,
  boards_repository text,
  erased_at timestamptz,
  opted_out_as bytea,
  totals_wanted_at timestamptz,
  constraint accounts_provider_external_id_key unique (provider, external_id),
  constraint accounts_type_check check (type in ('user', 'organization', 'bot'))
);
create index accounts_avatar on accounts (avatar_url);
create index accounts_checked on accounts (provider, checked_at nulls first);
create index accounts_deleted on accounts (deleted_at) where deleted_at is not null;
create index accounts_erased on accounts (erased_at) where erased_at is not null;
create index accounts_name on accounts (provider, lower(name), named_at desc);

-- The names that accounts left: they lead to the account while no other one has them.
create table former_names (
  provider text not null,
  name_key text not null,
  account_id uuid not null references accounts(id) on delete cascade,
  left_at timestamptz not null,
  check_after timestamptz not null,
  redirected_at timestamptz,
  primary key (provider, name_key, account_id)
);
create index former_names_account on former_names (account_id);

-- Work for a caller that waits: what runs, and what failed until when it is not tried again.
create table lookups (
  key text primary key,
  state text not null,
  error_code text,
  error_message text,
  retry_at timestamptz not null,
  for_owner boolean default false not null,
  failing_since timestamptz,
  constraint lookups_state_check
    check (state in ('running', 'absent', 'failed', 'delayed_by_allowance', 'delayed_by_quota'))
);
create index lookups_account on lookups (substring(key, ' ([0-9a-f]{8}-[0-9a-f-]{27})'))
  where substring(key, ' ([0-9a-f]{8}-[0-9a-f-]{27})') is not null;
create index lookups_delayed on lookups (retry_at) where state in ('delayed_by_allowance', 'delayed_by_quota');
create index lookups_end on lookups (retry_at);
create index lookups_refused on lookups (key)
  where state = 'delayed_by_quota' or (state = 'failed' and error_code = 'provider_rate_limited');

create table calendars (
  account_id uuid primary key references accounts(id) on delete cascade,
  first_day date not null,
  counts integer[] not null,
  total integer not null,
  includes_private boolean not null,
  fetched_at timestamptz not null,
  constraint calendars_counts_check check (cardinality(counts) between 1 and 371)
);

-- The lifetime counters of an account on each day, from which trends follow.
create table counters (
  account_id uuid not null references accounts(id) on delete cascade,
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
  missing text[] default '{}' not null,
  updated_at timestamptz not null,
  includes_private boolean default false not null,
  primary key (account_id, day, includes_private)
);
create index counters_private on counters (account_id) where includes_private;

-- The numbers of an account as the host reports them to one credential, and those of windows below.
create table reported_totals (
  account_id uuid not null references accounts(id) on delete cascade,
  credential_name text not null,
  counters jsonb not null,
  missing text[] not null,
  provider_memory jsonb,
  fetched_at timestamptz not null,
  primary key (account_id, credential_name)
);
create index reported_totals_credential on reported_totals (credential_name, account_id);

create table reported_windows (
  account_id uuid not null references accounts(id) on delete cascade,
  first_day date not null,
  last_day date not null,
  counters jsonb not null,
  fetched_at timestamptz not null,
  primary key (account_id, first_day, last_day)
);

-- Installations and repositories

create table installations (
  provider text not null,
  id text not null,
  source text not null,
  account_external_id text not null,
  account_name text not null,
  credential_name text,
  covers text not null,
  missing_permissions text[] not null,
  suspended_at timestamptz,
  removed_at timestamptz,
  seen_at timestamptz not null,
  covered_at timestamptz,
  created_at timestamptz not null,
  primary key (provider, id),
  constraint installations_covers_check check (covers in ('all', 'selected')),
  constraint installations_source_check check (source in ('app', 'operator'))
);
create index installations_account on installations (provider, account_external_id);
create index installations_removed on installations (removed_at) where removed_at is not null;

create table covered_repositories (
  provider text not null,
  installation_id text not null,
  repository_external_id text not null,
  primary key (provider, installation_id, repository_external_id),
  constraint covered_repositories_provider_installation_id_fkey foreign key (provider, installation_id)
    references installations(provider, id) on delete cascade
);

create table repositories (
  id uuid primary key,
  provider text not null,
  external_id text not null,
  handle text not null,
  owner_id uuid not null references accounts(id) on delete cascade,
  name text not null,
  description text default '' not null,
  language text default '' not null,
  license text default '' not null,
  default_branch text default '' not null,
  is_private boolean not null,
  is_fork boolean not null,
  stars integer default 0 not null,
  forks integer default 0 not null,
  open_issues integer default 0 not null,
  size_kib bigint default 0 not null,
  named_at timestamptz not null,
  listed_at timestamptz not null,
  collected_at timestamptz,
  collector_node integer,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  credential_name text,
  installed_at timestamptz,
  needs text[] default '{}' not null,
  erased_at timestamptz,
  constraint repositories_provider_external_id_key unique (provider, external_id)
);
create index repositories_deleted on repositories (deleted_at) where deleted_at is not null;
create index repositories_erased on repositories (erased_at, id) where erased_at is not null;
create index repositories_installed on repositories (installed_at) where installed_at is not null;
create index repositories_newest on repositories (owner_id, created_at desc, id desc);
create index repositories_owner on repositories (owner_id, lower(name));
create index repositories_shown_by on repositories (provider, credential_name, owner_id)
  where is_private and (deleted_at is null);

create table former_repository_names (
  owner_id uuid not null references accounts(id) on delete cascade,
  name_key text not null,
  repository_id uuid not null references repositories(id) on delete cascade,
  left_at timestamptz not null,
  check_after timestamptz not null,
  primary key (owner_id, name_key, repository_id)
);
create index former_repository_names_repository on former_repository_names (repository_id);

-- How repositories were visible before they changed.
create table former_repositories (
  repository_id uuid not null references repositories(id) on delete cascade,
  owner_id uuid not null references accounts(id) on delete cascade,
  is_private boolean not null,
  is_deleted boolean not null,
  until timestamptz not null
);
create index former_repositories_owner on former_repositories (owner_id, until);
create index former_repositories_repository on former_repositories (repository_id, until);
create index former_repositories_time on former_repositories (until);

-- Repositories whose rows in the tables that are divided by repository are still to be removed.
create table erased_repositories (
  repository_id uuid primary key
);

-- Repositories that count for other accounts than before; their people follow in batches.
create table changed_repositories (
  repository_id uuid primary key references repositories(id) on delete cascade,
  position uuid
);

-- Avatars and icons, in two sizes.
create table images (
  url text primary key,
  small bytea,
  large bytea,
  etag text,
  failures integer not null,
  refresh_at timestamptz not null,
  used_at timestamptz not null,
  repository_id uuid references repositories(id) on delete cascade
);
create index images_repository on images (repository_id) where repository_id is not null;
create index images_used on images (used_at);

-- Streams of repositories, and the work that is left on them

-- A list of a repository at the host, with its position: see sync/streams/stream-store.ts.
create table streams (
  repository_id uuid not null references repositories(id) on delete cascade,
  name text not null,
  covers text[] not null,
  cursor text,
  page_size integer,
  scan_started_at timestamptz,
  scan_is_full boolean default true not null,
  scan_total integer,
  scan_number integer default 0 not null,
  pending_tips text[] default '{}' not null,
  known_until timestamptz,
  completed_at timestamptz,
  full_scan_at timestamptz,
  provider_total integer,
  provider_changed_at timestamptz,
  provider_revision text,
  failure text,
  is_deep boolean default false not null,
  scan_is_deep boolean default false not null,
  invalidated_at timestamptz,
  full_scan_wanted_at timestamptz,
  failed_at timestamptz,
  failure_reason text,
  withheld_at timestamptz,
  reached_at timestamptz,
  failing_since timestamptz,
  primary key (repository_id, name)
);
create index streams_of_histories on streams (coalesce(full_scan_at, '-infinity'::timestamptz))
  where name = 'commits' and completed_at is not null;

-- The items that a running scan has read, so that its end removes all others.
create table scan_pages (
  repository_id uuid not null references repositories(id) on delete cascade,
  stream text not null,
  kinds text[] not null,
  external_ids text[] not null
);
create index scan_pages_stream on scan_pages (repository_id, stream);

-- Items of the host that could not be stored.
create table skipped_items (
  provider text not null,
  repository_id uuid references repositories(id) on delete cascade,
  account_id uuid references accounts(id) on delete cascade,
  stream text not null,
  kind text not null,
  reason text not null,
  path text not null,
  explanation text default '' not null,
  is_stored boolean not null,
  is_counted boolean not null,
  items integer not null,
  first_seen_at timestamptz not null,
  seen_at timestamptz not null,
  constraint skipped_items_check check (num_nonnulls(repository_id, account_id) = 1),
  constraint skipped_items_items_check check (items > 0),
  constraint skipped_items_reason_check check (reason in ('unreadable', 'refused'))
);
create index skipped_items_account on skipped_items (account_id) where account_id is not null;
create unique index skipped_items_place
  on skipped_items (coalesce(repository_id, account_id), stream, kind, reason, path, is_stored);
create index skipped_items_repository on skipped_items (repository_id) where repository_id is not null;

-- Details that items still lack, which a job fetches.
create table pending_details (
  repository_id uuid not null,
  detail text not null,
  key text not null,
  revision integer default 1 not null,
  noted_until text default '' not null,
  rest text default 'absent' not null,
  primary key (repository_id, detail, key),
  constraint pending_details_detail_check
    check (detail in ('commit_lines', 'commit_files', 'commit_languages', 'pull_request_files'))
);

-- Differences between stored totals and those of the host or of a recount.
create table drifts (
  repository_id uuid not null references repositories(id) on delete cascade,
  part text not null,
  expected integer not null,
  found integer not null,
  is_repaired boolean not null,
  found_at timestamptz not null,
  primary key (repository_id, part)
);
create index drifts_repaired on drifts (found_at) where is_repaired;

create table owner_polls (
  account_id uuid primary key references accounts(id) on delete cascade,
  next_at timestamptz not null,
  cost integer not null,
  position text
);

create table repository_polls (
  repository_id uuid primary key references repositories(id) on delete cascade,
  next_at timestamptz not null,
  interval_s integer not null,
  digest text not null,
  changed_at timestamptz
);
create index repository_polls_next on repository_polls (next_at);

-- Contributions, commits and their addresses

-- Everything but commits. Divided tables have no foreign keys: docs/decisions/0064-tables-by-repository.md.
create table contributions (
  repository_id uuid not null,
  kind text not null,
  external_id text not null,
  parent_external_id text,
  account_id uuid,
  answered_by uuid,
  answered boolean default false not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  closed_at timestamptz,
  merged_at timestamptz,
  seen_at timestamptz not null,
  number integer,
  resolved_by uuid,
  assignees uuid[],
  reviewers uuid[],
  comments integer,
  emojis text[],
  reactors uuid[],
  additions integer,
  deletions integer,
  changed_files integer,
  commits integer,
  upvotes integer,
  labels text[],
  files text[],
  reason text,
  answered_at timestamptz,
  title text,
  merged_by uuid,
  stored_at timestamptz default now() not null,
  state text,
  primary key (repository_id, kind, external_id),
  constraint contributions_kind_check
    check (kind in ('issue', 'pull_request', 'review', 'discussion', 'issue_comment', 'pull_request_comment',
      'review_comment', 'star'))
);
create index contributions_answered on contributions (answered_by, answered_at) where answered_by is not null;
create index contributions_closed on contributions (repository_id, kind, closed_at) where closed_at is not null;
create index contributions_merged on contributions (repository_id, merged_at) where merged_at is not null;
create index contributions_merged_by on contributions (merged_by) where merged_by is not null;
create index contributions_number on contributions (repository_id, number)
  where number is not null and kind in ('issue', 'pull_request');
create index contributions_of_account on contributions (account_id, kind, created_at)
  include (repository_id, closed_at, merged_at);
create index contributions_of_repository on contributions (repository_id, kind, created_at)
  include (closed_at, merged_at);
create index contributions_orphans on contributions (repository_id, number)
  where parent_external_id is null and kind in ('issue_comment', 'pull_request_comment', 'review_comment');
create index contributions_parent on contributions (repository_id, parent_external_id)
  where parent_external_id is not null;
create index contributions_people on contributions using gin ((assignees || reviewers || reactors))
  where (assignees || reviewers || reactors) <> '{}';
create index contributions_resolved_by on contributions (resolved_by) where resolved_by is not null;

create table commits (
  repository_id uuid not null,
  oid bytea not null,
  authored_at timestamptz not null,
  committed_at timestamptz not null,
  scan_number integer not null,
  identity_ids integer[] not null,
  additions integer,
  deletions integer,
  changed_files integer,
  files text[],
  subject text,
  assisted boolean,
  stored_at timestamptz default now() not null,
  languages jsonb,
  primary key (repository_id, oid)
);
create index commits_of_co_authors on commits using gin (identity_ids) where cardinality(identity_ids) > 1;
create index commits_of_repository on commits (repository_id, authored_at);

-- Commits that totals do not contain yet.
create table uncounted_commits (
  repository_id uuid not null,
  oid bytea not null,
  primary key (repository_id, oid)
);

-- The addresses of commits.
create table identities (
  id integer generated always as identity primary key,
  provider text not null,
  email text not null,
  account_id uuid references accounts(id) on delete set null,
  resolved_at timestamptz,
  forgotten_until uuid,
  constraint identities_provider_email_key unique (provider, email)
);
create index identities_account on identities (account_id);
create index identities_forgotten on identities (forgotten_until, id) where forgotten_until is not null;

create table repository_identities (
  repository_id uuid not null,
  identity_id integer not null,
  is_author boolean default false not null,
  is_counted boolean default false not null,
  attempts integer default 0 not null,
  retry_at timestamptz,
  primary key (repository_id, identity_id)
);
create index repository_identities_identity on repository_identities (identity_id);
create index repository_identities_uncounted on repository_identities (repository_id, identity_id) where not is_counted;

-- Addresses of another account than before, whose evaluations are still to be queued.
create table changed_identities (
  id bigint generated always as identity primary key,
  identity_id integer not null,
  account_ids uuid[] not null,
  queued_until uuid not null
);

-- Deliveries about stars, until the list of stars contains them.
create table star_events (
  repository_id uuid not null references repositories(id) on delete cascade,
  external_id text not null,
  at timestamptz not null,
  balance integer not null,
  recorded_at timestamptz not null,
  primary key (repository_id, external_id, at)
);
create index star_events_recorded on star_events (recorded_at);

-- Items that began to count later, or ceased to count.
create table counted_changes (
  repository_id uuid not null references repositories(id) on delete cascade,
  kind text not null,
  external_id text not null,
  number integer,
  counter text not null,
  account_id uuid references accounts(id) on delete cascade,
  at timestamptz not null,
  is_co_authored boolean not null,
  is_added boolean not null,
  stored_at timestamptz not null,
  changed_at timestamptz not null
);
create index counted_changes_account on counted_changes (account_id, changed_at);
create index counted_changes_repository on counted_changes (repository_id, changed_at);
create index counted_changes_time on counted_changes (changed_at);

-- One row: the moment since which the table before is complete.
create table changes_kept (
  since timestamptz not null
);
insert into changes_kept values (now());

-- Totals, which follow from contributions and commits

-- The totals of a repository, and the position and sums of their check (contributions/totals/running-check-store.ts).
create table repository_totals (
  repository_id uuid primary key,
  commits integer default 0 not null,
  issues integer default 0 not null,
  issues_closed integer default 0 not null,
  pull_requests integer default 0 not null,
  pull_requests_merged integer default 0 not null,
  reviews integer default 0 not null,
  discussions integer default 0 not null,
  discussions_answered integer default 0 not null,
  issue_comments integer default 0 not null,
  pull_request_comments integer default 0 not null,
  review_comments integer default 0 not null,
  stars integer default 0 not null,
  commits_counted boolean default false not null,
  is_changed boolean default false not null,
  recounted_until date,
  recounted_commits integer default 0 not null,
  checked_until date,
  checked_counts jsonb,
  checked_commits numeric,
  checked_people numeric,
  checked_languages numeric,
  repair jsonb,
  counting_day date,
  countings integer default 0 not null
);
create index repository_totals_uncounted on repository_totals (repository_id) where not commits_counted;

create table contributor_totals (
  repository_id uuid not null,
  account_id uuid not null,
  commits integer not null,
  issues integer not null,
  pull_requests integer not null,
  reviews integer not null,
  discussions integer not null,
  issues_closed integer default 0 not null,
  pull_requests_merged integer default 0 not null,
  discussions_answered integer default 0 not null,
  primary key (repository_id, account_id)
);
create index contributor_totals_account on contributor_totals (account_id);

create table contribution_days (
  account_id uuid not null,
  repository_id uuid not null,
  day date not null,
  commits integer default 0 not null,
  issues integer default 0 not null,
  pull_requests integer default 0 not null,
  reviews integer default 0 not null,
  discussions integer default 0 not null,
  primary key (account_id, day, repository_id)
);
create index contribution_days_of_repository on contribution_days (repository_id, day)
  include (commits, issues, pull_requests, reviews, discussions);

create table language_days (
  repository_id uuid not null,
  identity_id integer not null,
  day date not null,
  language text not null,
  files integer not null,
  commits integer not null,
  primary key (repository_id, identity_id, day, language)
);
create index language_days_in_order on language_days (repository_id, day);
create index language_days_people on language_days (identity_id, day);

create table language_sums (
  repository_id uuid not null,
  identity_id integer not null,
  language text not null,
  files integer not null,
  primary key (repository_id, identity_id, language)
);
create index language_sums_people on language_sums (identity_id);

-- The part of each repository in the sums of its owner.
create table summed_repositories (
  repository_id uuid primary key,
  owner_id uuid,
  is_private boolean,
  commits bigint default 0 not null,
  issues bigint default 0 not null,
  pull_requests bigint default 0 not null,
  reviews bigint default 0 not null,
  issues_closed bigint default 0 not null,
  pull_requests_merged bigint default 0 not null,
  discussions bigint default 0 not null,
  discussions_answered bigint default 0 not null,
  contributed_to bigint default 0 not null,
  stars bigint default 0 not null,
  uncollected_commits bigint default 0 not null,
  uncollected_issues bigint default 0 not null,
  uncollected_pull_requests bigint default 0 not null,
  uncollected_reviews bigint default 0 not null,
  uncollected_discussions bigint default 0 not null,
  unfinished bigint default 0 not null
);
create index summed_repositories_owner on summed_repositories (owner_id);

-- Repositories that a transaction marked for its end.
create table unsummed_repositories (
  transaction_id xid8 not null,
  repository_id uuid not null,
  primary key (transaction_id, repository_id)
);

-- Differences that add up to the sums of an owner.
create table owner_sums (
  owner_id uuid not null,
  is_private boolean not null,
  commits bigint default 0 not null,
  issues bigint default 0 not null,
  pull_requests bigint default 0 not null,
  reviews bigint default 0 not null,
  issues_closed bigint default 0 not null,
  pull_requests_merged bigint default 0 not null,
  discussions bigint default 0 not null,
  discussions_answered bigint default 0 not null,
  contributed_to bigint default 0 not null,
  stars bigint default 0 not null,
  uncollected_commits bigint default 0 not null,
  uncollected_issues bigint default 0 not null,
  uncollected_pull_requests bigint default 0 not null,
  uncollected_reviews bigint default 0 not null,
  uncollected_discussions bigint default 0 not null,
  unfinished bigint default 0 not null
);
create index owner_sums_owner on owner_sums (owner_id);

-- Accounts whose stored numbers changed: sync/totals/stored-totals.ts.
create table changed_contributors (
  repository_id uuid not null references repositories(id) on delete cascade,
  account_id uuid not null references accounts(id) on delete cascade,
  is_update boolean not null,
  is_visibility boolean default false not null,
  primary key (repository_id, account_id)
);
create index changed_contributors_account on changed_contributors (account_id);

-- People whom a transaction marked for the lists at its end.
create table unlisted_contributors (
  transaction_id xid8 not null,
  repository_id uuid,
  account_id uuid not null,
  added bigint not null
);
create index unlisted_contributors_transaction on unlisted_contributors (transaction_id);

-- Lists of contributors; their rows are in the table after it.
create table rankings (
  id bigint generated always as identity primary key,
  account_id uuid not null,
  repository_id uuid,
  includes_private boolean not null,
  excluded text[] not null,
  version bigint default 1 not null,
  oldest_version bigint default 1 not null,
  people bigint default 0 not null,
  built_at timestamptz not null,
  ended_at timestamptz,
  made_until uuid
);
create index rankings_account on rankings (account_id);
create index rankings_built on rankings (built_at) where ended_at is null;
create index rankings_ended on rankings (ended_at) where ended_at is not null;
create unique index rankings_present on rankings (account_id, repository_id, includes_private) nulls not distinct
  where ended_at is null;

create table ranks (
  ranking_id bigint not null,
  account_id uuid not null,
  contributions integer not null,
  name_key text collate "C" not null,
  is_counted boolean not null,
  since_version bigint not null,
  until_version bigint,
  ended_at timestamptz
);
create index ranks_account on ranks (account_id);
create index ranks_ended on ranks (ended_at) where until_version is not null;
create index ranks_order on ranks (ranking_id, (- contributions), name_key, account_id) where until_version is null;
create unique index ranks_person on ranks (ranking_id, account_id) where until_version is null;
create index ranks_version on ranks (ranking_id, until_version);

-- Access

create table signing_keys (
  id text primary key,
  public_key jsonb not null,
  private_key jsonb,
  created_at timestamptz not null,
  signs_from timestamptz not null,
  signs_until timestamptz not null,
  published_until timestamptz not null
);

create table owner_keys (
  account_id uuid not null references accounts(id) on delete cascade,
  id text not null,
  kind text not null,
  spki bytea not null,
  created_at timestamptz not null,
  holder text,
  holder_name text,
  ends_at timestamptz not null,
  suspended_at timestamptz,
  ended_at timestamptz,
  primary key (account_id, id)
);

create table revoked_tokens (
  account_id uuid not null references accounts(id) on delete cascade,
  token_id text not null,
  expires_at timestamptz not null,
  primary key (account_id, token_id)
);
create index revoked_tokens_end on revoked_tokens (expires_at);

create table administrators (
  account_id uuid not null references accounts(id) on delete cascade,
  person text not null,
  name text not null,
  confirmed_at timestamptz not null,
  can_check boolean,
  check_after timestamptz not null,
  primary key (account_id, person)
);
create index administrators_confirmed on administrators (confirmed_at);
create index administrators_due on administrators (check_after);
create index administrators_person on administrators (person);

create table sessions (
  secret_hash bytea primary key,
  account_id uuid not null references accounts(id) on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index sessions_account on sessions (account_id);
create index sessions_end on sessions (expires_at);

create table sign_ins (
  state_hash bytea primary key,
  provider text not null,
  nonce text not null,
  code_verifier text not null,
  return_to text not null,
  organization text,
  expires_at timestamptz not null
);
create index sign_ins_end on sign_ins (expires_at);

create table embeds (
  id uuid primary key,
  account_id uuid not null references accounts(id) on delete cascade,
  path text not null,
  format text not null,
  secret_hash bytea not null,
  created_at timestamptz not null,
  holder text,
  holder_name text,
  ends_at timestamptz,
  suspended_at timestamptz,
  ended_at timestamptz,
  constraint embeds_secret_hash_key unique (secret_hash)
);
create index embeds_newest on embeds (account_id, id desc);

create table audit_entries (
  id uuid primary key,
  account_id uuid not null references accounts(id) on delete cascade,
  action text not null,
  subject text not null,
  actor text not null,
  token_id text,
  at timestamptz not null,
  person text
);
create index audit_entries_age on audit_entries (at);
create index audit_entries_newest on audit_entries (account_id, id desc);
create index audit_entries_token on audit_entries (account_id, token_id) where token_id is not null;

-- People who are never to be stored, by the hash of their id at the host.
create table opt_outs (
  key bytea primary key,
  person bytea not null,
  opted_out_at timestamptz not null
);
create index opt_outs_person on opt_outs (person);

-- Random keys of this service.
create table secrets (
  name text primary key,
  value bytea not null
);

-- Deliveries of hosts

create table deliveries (
  provider text not null,
  id text not null,
  event text not null,
  changes jsonb not null,
  received_at timestamptz not null,
  applied_at timestamptz,
  attempts integer default 0 not null,
  order_key text default '' not null,
  retry_at timestamptz,
  waiting_since timestamptz,
  primary key (provider, id)
);
create index deliveries_age on deliveries (received_at);
create index deliveries_applied on deliveries (received_at) where applied_at is not null;
create index deliveries_of_key on deliveries (order_key, attempts, received_at) where applied_at is null;
create index deliveries_retried on deliveries (retry_at) include (order_key) where retry_at is not null;
create index deliveries_unapplied on deliveries (attempts, received_at) where applied_at is null;

create table delivery_checks (
  provider text primary key,
  checked_until timestamptz not null,
  cursor text,
  newest_at timestamptz
);

create table redeliveries (
  provider text not null,
  delivery_id text not null,
  attempt_id text not null,
  requests integer not null,
  found_at timestamptz not null,
  primary key (provider, delivery_id)
);
create index redeliveries_age on redeliveries (found_at);

create table rejected_deliveries (
  provider text not null,
  reason text not null,
  count bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (provider, reason),
  constraint rejected_deliveries_count_check check (count > 0)
);

-- When an account last had an applied delivery.
create table owner_deliveries (
  account_id uuid primary key references accounts(id) on delete cascade,
  applied_at timestamptz not null
);

-- Achievements

create table achievement_files (
  repository_id uuid primary key references repositories(id) on delete cascade,
  revision text,
  path text,
  oid text,
  text text not null,
  reports jsonb not null,
  read_at timestamptz not null
);

create table achievements (
  id uuid primary key,
  repository_id uuid not null references repositories(id) on delete cascade,
  name text not null,
  icon text not null,
  description text not null,
  evaluate_at timestamptz,
  evaluated_at timestamptz,
  is_current boolean not null,
  constraint achievements_repository_id_name_key unique (repository_id, name)
);
create index achievements_unevaluated on achievements (evaluate_at) where is_current and (evaluated_at is null);

create table awards (
  id uuid primary key,
  achievement_id uuid not null references achievements(id) on delete cascade,
  account_id uuid not null references accounts(id) on delete cascade,
  repository_name text not null,
  awarded_at timestamptz not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  revoked_reason text,
  imported_at timestamptz,
  imported_id uuid,
  access_checked_at timestamptz,
  has_access boolean,
  constraint awards_achievement_id_account_id_key unique (achievement_id, account_id),
  constraint awards_imported_id_key unique (imported_id)
);
create index awards_newest on awards (account_id, awarded_at desc, id desc);
create index awards_of_achievement on awards (achievement_id, awarded_at desc, id desc) where revoked_at is null;

-- Achievements that are still to be evaluated.
create table pending_evaluations (
  id uuid default gen_random_uuid() primary key,
  repository_id uuid not null references repositories(id) on delete cascade,
  achievement_id uuid references achievements(id) on delete cascade,
  account_id uuid,
  kind text
);
create index pending_evaluations_account on pending_evaluations (account_id);
create index pending_evaluations_achievement on pending_evaluations (achievement_id) where achievement_id is not null;
create index pending_evaluations_repository on pending_evaluations (repository_id);

create table credential_keys (
  id text primary key,
  public_key jsonb not null,
  created_at timestamptz not null,
  signs_until timestamptz not null
);

create table credential_signers (
  key_id text primary key references credential_keys(id) on delete cascade,
  private_key jsonb not null
);

create table credential_statuses (
  list integer not null,
  position integer not null,
  award_id uuid references awards(id) on delete set null,
  primary key (list, position),
  constraint credential_statuses_award_id_key unique (award_id),
  constraint credential_statuses_position_check check (position >= 0 and position <= 131071)
);

-- Credentials of hosts that were withdrawn, whose data must not be shown.
create table withdrawn_credentials (
  provider text not null,
  credential_name text not null,
  withdrawn_at timestamptz not null,
  primary key (provider, credential_name)
);

-- Notifications of awards

create table repository_webhooks (
  repository_id uuid not null references repositories(id) on delete cascade,
  name text not null,
  kind text not null,
  target jsonb not null,
  receiver text not null,
  achievements text[] not null,
  primary key (repository_id, name)
);

create table webhook_secrets (
  id uuid primary key,
  account_id uuid not null references accounts(id) on delete cascade,
  url text not null,
  receiver text not null,
  secret bytea not null,
  former_secret bytea,
  former_until timestamptz,
  changed_at timestamptz not null,
  constraint webhook_secrets_account_id_receiver_key unique (account_id, receiver)
);

create table notifications (
  id uuid primary key,
  award_id uuid not null references awards(id) on delete cascade,
  account_id uuid not null references accounts(id) on delete cascade,
  repository_id uuid not null references repositories(id) on delete cascade,
  webhook text not null,
  kind text not null,
  target jsonb not null,
  receiver text not null,
  content jsonb not null,
  state text not null,
  attempts integer default 0 not null,
  next_attempt_at timestamptz not null,
  last_attempt_at timestamptz,
  give_up_at timestamptz not null,
  error text,
  created_at timestamptz not null,
  ended_at timestamptz,
  constraint notifications_award_id_receiver_key unique (award_id, receiver),
  constraint notifications_state_check check (state in ('waiting', 'sent', 'dead'))
);
create index notifications_account on notifications (account_id);
create index notifications_ended on notifications (ended_at) where ended_at is not null;
create index notifications_in_order on notifications (receiver, attempts, next_attempt_at, id) where state = 'waiting';
create index notifications_newest on notifications (repository_id, id desc);
create index notifications_overdue on notifications (receiver, give_up_at, id) where state = 'waiting';
create index notifications_waiting on notifications (receiver, next_attempt_at) where state = 'waiting';

create table failing_receivers (
  receiver text primary key,
  failures integer not null,
  resumes_at timestamptz not null
);

-- Boards

create table host_teams (
  owner_id uuid not null references accounts(id) on delete cascade,
  name text not null,
  read_at timestamptz,
  tried_at timestamptz not null,
  primary key (owner_id, name)
);

create table host_team_members (
  owner_id uuid not null,
  team text not null,
  account_id uuid not null references accounts(id) on delete cascade,
  primary key (owner_id, team, account_id),
  constraint host_team_members_owner_id_team_fkey foreign key (owner_id, team)
    references host_teams(owner_id, name) on delete cascade
);
create index host_team_members_account on host_team_members (account_id);

-- People whom files name, and whether the host has them.
create table named_people (
  name text primary key,
  looked_up_at timestamptz not null,
  is_absent boolean not null
);

-- Definitions of boards, from a repository or from the operator.
create table board_files (
  owner_id uuid not null references accounts(id) on delete cascade,
  repository_id uuid references repositories(id) on delete cascade,
  path text,
  oid text,
  revision text,
  text text not null,
  boards json,
  reports json not null,
  read_at timestamptz not null,
  constraint board_files_owner_id_repository_id_key unique nulls not distinct (owner_id, repository_id)
);
create index board_files_repository on board_files (repository_id);

create table boards (
  id uuid primary key,
  owner_id uuid not null references accounts(id) on delete cascade,
  slug text not null,
  place integer not null,
  definition json not null,
  is_current boolean not null,
  is_private boolean not null,
  owners text[] not null,
  cost_ms integer default 0 not null,
  created_at timestamptz not null,
  freeze_at timestamptz,
  teams text[] default '{}' not null,
  people text[] default '{}' not null,
  name text generated always as (coalesce(definition ->> 'name', '')) stored not null,
  description text generated always as (coalesce(definition ->> 'description', '')) stored not null,
  is_of_team boolean generated always as (definition #>> '{people,only_members_of}' is not null) stored not null
);
create index boards_freeze on boards (freeze_at) where freeze_at is not null;
create index boards_owners on boards using gin (owners) where is_current;
create unique index boards_slug on boards (owner_id, lower(slug));

create table board_repositories (
  board_id uuid not null references boards(id) on delete cascade,
  repository_id uuid not null references repositories(id) on delete cascade,
  primary key (board_id, repository_id)
);
create index board_repositories_repository on board_repositories (repository_id);

create table board_changes (
  board_id uuid not null references boards(id) on delete cascade,
  people uuid[],
  identities integer[]
);
create index board_changes_board on board_changes (board_id);

-- The ranking of a board; its ranks are in the table after it, with those of former versions.
create table board_rankings (
  board_id uuid primary key references boards(id) on delete cascade,
  version integer not null,
  oldest_version integer not null,
  since timestamptz,
  until timestamptz,
  basis text not null,
  members integer not null,
  is_of_team boolean not null,
  people integer not null,
  coverage json not null,
  as_of timestamptz,
  built_at timestamptz not null,
  whole_at timestamptz not null,
  whole_cost_ms integer not null,
  whole_until timestamptz
);

create table board_ranks (
  board_id uuid not null references boards(id) on delete cascade,
  account_id uuid not null references accounts(id) on delete cascade,
  since_version integer not null,
  until_version integer,
  ended_at timestamptz,
  is_ranked boolean not null,
  points double precision not null,
  ordered_at timestamptz,
  name text collate "C" not null,
  granted double precision not null,
  by_rule json not null,
  previous_rank integer,
  is_newcomer boolean not null,
  is_returning boolean not null,
  first_at timestamptz,
  reached_at timestamptz,
  teams text[] not null,
  member_teams text[] not null,
  primary key (board_id, account_id, since_version)
);
create index board_ranks_account on board_ranks (account_id);
create index board_ranks_ended on board_ranks (board_id, ended_at) where ended_at is not null;
create index board_ranks_granted on board_ranks (board_id)
  where granted <> 0 and until_version is null;
create index board_ranks_order on board_ranks (board_id, points desc, ordered_at, name, account_id)
  include (since_version, until_version) where is_ranked;

-- A ranking that is being counted, in parts.
create table next_board_rankings (
  board_id uuid primary key references boards(id) on delete cascade,
  version integer not null,
  since timestamptz,
  until timestamptz,
  basis text not null,
  members integer not null,
  is_of_team boolean not null,
  people integer not null,
  coverage json not null,
  as_of timestamptz,
  built_at timestamptz not null,
  whole_at timestamptz not null,
  whole_cost_ms integer not null,
  whole_until timestamptz,
  repository_ids uuid[]
);

create table next_board_ranks (
  board_id uuid not null references boards(id) on delete cascade,
  part integer not null,
  people json not null,
  primary key (board_id, part)
);

-- The leaders of boards, and since when they led.
create table board_leaders (
  board_id uuid not null references boards(id) on delete cascade,
  account_id uuid not null references accounts(id) on delete cascade,
  since timestamptz not null,
  points double precision not null,
  primary key (board_id, account_id, since)
);
create index board_leaders_account on board_leaders (account_id);

-- Frozen seasons of boards: docs/decisions/0070-frozen-seasons.md.
create table board_seasons (
  board_id uuid not null references boards(id) on delete cascade,
  number integer not null,
  version integer not null,
  since timestamptz,
  until timestamptz not null,
  definition json not null,
  coverage json not null,
  as_of timestamptz,
  missing text[] not null,
  frozen_at timestamptz not null,
  reason text not null,
  differences json not null,
  statement text,
  is_written boolean default true not null,
  counted json,
  people text[] default '{}' not null,
  team_members uuid[],
  primary key (board_id, number, version)
);
create index board_seasons_people on board_seasons using gin (people);
create index board_seasons_unsigned on board_seasons (board_id) where statement is null;
create index board_seasons_unwritten on board_seasons (board_id) where not is_written;

create table board_season_ranks (
  board_id uuid not null,
  number integer not null,
  version integer not null,
  place integer not null,
  rank integer not null,
  account_id uuid references accounts(id) on delete set null,
  is_anonymous boolean not null,
  points double precision not null,
  granted double precision not null,
  by_rule json not null,
  previous_rank integer,
  is_newcomer boolean not null,
  is_returning boolean not null,
  teams text[] not null,
  settled json,
  primary key (board_id, number, version, place),
  constraint board_season_ranks_board_id_number_version_fkey foreign key (board_id, number, version)
    references board_seasons(board_id, number, version) on delete cascade
);
create index board_season_ranks_seasons on board_season_ranks (account_id, board_id, number)
  where account_id is not null;

create table next_season_ranks (
  board_id uuid not null,
  number integer not null,
  version integer not null,
  part integer not null,
  people json not null,
  account_ids uuid[] not null,
  primary key (board_id, number, version, part),
  constraint next_season_ranks_board_id_number_version_fkey foreign key (board_id, number, version)
    references board_seasons(board_id, number, version) on delete cascade
);
create index next_season_ranks_people on next_season_ranks using gin (account_ids) with (fastupdate=off);

-- Names that seasons no longer show.
create table withdrawn_names (
  board_id uuid not null references boards(id) on delete cascade,
  number integer not null,
  name text not null,
  primary key (board_id, number, name)
);
create index withdrawn_names_name on withdrawn_names (name);

-- Names that are still to be removed from seasons.
create table pending_withdrawals (
  id uuid default gen_random_uuid() primary key,
  account_id uuid not null,
  name text,
  board_id uuid default '00000000-0000-0000-0000-000000000000' not null,
  number integer default 0 not null
);

-- Running processes

-- The next number of a node.
create sequence node_numbers as integer cycle;

-- Changes that other nodes drop from their caches: docs/decisions/0010-responses-kept-as-bytes.md.
create unlogged table announcements (
  transaction xid8 default pg_current_xact_id() not null,
  kind text not null,
  key text not null
);
create index announcements_transaction on announcements (transaction);

create table workers (
  id text primary key,
  node integer not null
);

create unlogged table rate_limits (
  key text primary key,
  count integer not null,
  resets_at timestamptz not null
);
create index rate_limits_end on rate_limits (resets_at);

-- One row: stored times are not later. Infinity: they are not known.
create table latest_time (
  is_only boolean default true primary key,
  until timestamptz not null,
  constraint latest_time_is_only_check check (is_only)
);
insert into latest_time (until) values ('infinity');

-- Records of the tables themselves, see migrate.ts

-- The baseline, by its name, and the migrations that were applied after it.
create table applied_migrations (
  name text primary key,
  applied_at timestamptz default clock_timestamp() not null
);

-- The position of a migration with parts.
create table migration_parts (
  migration text not null,
  part integer not null,
  position text,
  is_done boolean not null,
  primary key (migration, part)
);

create table applied_definitions (
  object text primary key,
  hash text not null
);
