import { type Kysely, sql } from 'kysely';

const names = [
  // The time when the host last redirected from the name to the account; null: never, the service saw the rename
  // itself.
  sql`alter table former_names add column redirected_at timestamptz`,
  sql`
    create table former_repository_names (
      owner_id uuid not null references accounts on delete cascade,
      name_key text not null,
      repository_id uuid not null references repositories on delete cascade,
      left_at timestamptz not null,
      check_after timestamptz not null,
      primary key (owner_id, name_key, repository_id)
    )`,
  sql`create index former_repository_names_repository on former_repository_names (repository_id)`,
];

const visibility = [
  sql`alter table accounts add column hidden_by_host boolean not null default false`,
  sql`alter table accounts add column checked_at timestamptz`,
  sql`update accounts set checked_at = asked_at where asked_at is not null`,
  sql`create index accounts_checked on accounts (provider, checked_at nulls first)`,
];

/**
 * Triggers announce changes of an account's visibility in the same transaction, for every writer: for the account
 * itself, and for the accounts that list it as a contributor.
 */
const announcing = [
  sql`
    create function announce_shown_account() returns trigger language plpgsql as $$
    begin
      perform pg_notify('plaudit', 'account ' || id) from (
        select new.id union
        select r.owner_id from contributor_totals t join repositories r on r.id = t.repository_id
        where t.account_id = new.id) listing (id);
      return null;
    end $$`,
  sql`
    create trigger accounts_shown_otherwise after update on accounts
    for each row when ((old.hidden, old.hidden_by_host, old.gone_at is null)
      is distinct from (new.hidden, new.hidden_by_host, new.gone_at is null))
    execute function announce_shown_account()`,
  sql`drop trigger accounts_seen_otherwise on accounts`,
  sql`
    create trigger accounts_seen_otherwise after update on accounts
    for each row when ((old.hidden, old.hidden_by_host, old.publishes_private, old.gone_at, old.name)
      is distinct from (new.hidden, new.hidden_by_host, new.publishes_private, new.gone_at, new.name))
    execute function announce_awarded_by_owner()`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of [...names, ...visibility, ...announcing]) await statement.execute(database);
}
