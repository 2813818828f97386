import { type Kysely, sql } from 'kysely';

const tables = [
  sql`
    create table achievement_files (
      repository_id uuid primary key references repositories on delete cascade,
      revision text,
      path text,
      oid text,
      text text not null,
      reports jsonb not null,
      read_at timestamptz not null
    )`,
  sql`
    create table achievements (
      id uuid primary key,
      repository_id uuid not null references repositories on delete cascade,
      name text not null,
      icon text not null,
      description text not null,
      judged_at timestamptz,
      settled_at timestamptz,
      is_current boolean not null,
      unique (repository_id, name)
    )`,
  sql`create index achievements_unsettled on achievements (judged_at) where is_current and settled_at is null`,
  sql`
    create table awards (
      id uuid primary key,
      achievement_id uuid not null references achievements on delete cascade,
      account_id uuid not null references accounts on delete cascade,
      repository_name text not null,
      awarded_at timestamptz not null,
      created_at timestamptz not null,
      revoked_at timestamptz,
      revoked_reason text,
      unique (achievement_id, account_id)
    )`,
  sql`create index awards_newest on awards (account_id, awarded_at desc, id desc)`,
  // Without a reference to accounts, because triggers also write rows while an account is being removed.
  sql`
    create table achievement_work (
      id uuid primary key default gen_random_uuid(),
      repository_id uuid not null references repositories on delete cascade,
      achievement_id uuid references achievements on delete cascade,
      account_id uuid,
      kind text
    )`,
  sql`create index achievement_work_repository on achievement_work (repository_id)`,
];

/**
 * Triggers note every change of contributions in the same statement, for every writer, where a repository has an
 * achievements file.
 */
const noting = [
  sql`
    create function people_of(contributions) returns setof uuid language sql immutable parallel safe as $$
      select $1.account_id union select $1.resolved_by union select $1.answered_by
      union select unnest($1.assignees) union select unnest($1.reviewers)
    $$`,
  sql`
    create function note_inserted() returns trigger language plpgsql as $$
    begin
      insert into achievement_work (repository_id, account_id, kind)
      select distinct n.repository_id, a.id, n.kind
      from achievement_files f join new_rows n using (repository_id) join repositories r on r.id = n.repository_id
      cross join people_of(n) as p (account_id) join accounts a on a.id = p.account_id and a.type = 'user'
      where f.path is not null;
      return null;
    end $$`,
  sql`
    create function note_deleted() returns trigger language plpgsql as $$
    begin
      insert into achievement_work (repository_id, account_id, kind)
      select distinct o.repository_id, a.id, o.kind
      from achievement_files f join old_rows o using (repository_id) join repositories r on r.id = o.repository_id
      cross join people_of(o) as p (account_id) join accounts a on a.id = p.account_id and a.type = 'user'
      where f.path is not null;
      return null;
    end $$`,
  // Changed labels matter to those who commented too.
  sql`
    create function note_updated() returns trigger language plpgsql as $$
    begin
      insert into achievement_work (repository_id, account_id, kind)
      select distinct n.repository_id, a.id, p.kind
      from achievement_files f join new_rows n using (repository_id)
      join old_rows o using (repository_id, kind, external_id) join repositories r on r.id = n.repository_id
      cross join lateral (
        select people_of(n) as account_id, n.kind
        union select people_of(o), o.kind
        union select c.account_id, c.kind from contributions c
        where n.labels is distinct from o.labels and n.kind in ('issue', 'pull_request')
          and c.repository_id = n.repository_id and c.parent_external_id = n.external_id
          and c.kind in ('issue_comment', 'pull_request_comment', 'review_comment')) p
      join accounts a on a.id = p.account_id and a.type = 'user'
      where f.path is not null
        and (n.account_id, n.resolved_by, n.answered_by, n.answered, n.assignees, n.reviewers, n.parent_external_id,
            n.created_at, n.closed_at, n.merged_at, n.comments, n.emojis, n.reactors, n.additions, n.deletions,
            n.changed_files, n.commits, n.upvotes, n.labels, n.files, n.reason)
          is distinct from (o.account_id, o.resolved_by, o.answered_by, o.answered, o.assignees, o.reviewers,
            o.parent_external_id, o.created_at, o.closed_at, o.merged_at, o.comments, o.emojis, o.reactors, o.additions,
            o.deletions, o.changed_files, o.commits, o.upvotes, o.labels, o.files, o.reason);
      return null;
    end $$`,
  sql`
    create trigger contributions_inserted_noted after insert on contributions
    referencing new table as new_rows for each statement execute function note_inserted()`,
  sql`
    create trigger contributions_deleted_noted after delete on contributions
    referencing old table as old_rows for each statement execute function note_deleted()`,
  sql`
    create trigger contributions_updated_noted after update on contributions
    referencing old table as old_rows new table as new_rows for each statement execute function note_updated()`,
];

const notingCommits = [
  sql`
    create function note_commits() returns trigger language plpgsql as $$
    begin
      insert into achievement_work (repository_id, account_id, kind)
      select distinct c.repository_id, a.id, 'commit'
      from achievement_files f join changed_rows c using (repository_id) join repositories r on r.id = c.repository_id
      cross join unnest(c.identity_ids) as u (identity_id) join identities i on i.id = u.identity_id
      join accounts a on a.id = i.account_id and a.type = 'user'
      where f.path is not null;
      return null;
    end $$`,
  // A scan only marks the commits that it saw, which is no change.
  sql`
    create function note_updated_commits() returns trigger language plpgsql as $$
    begin
      insert into achievement_work (repository_id, account_id, kind)
      select distinct n.repository_id, a.id, 'commit'
      from new_rows n join old_rows o using (repository_id, oid)
      join achievement_files f on f.repository_id = n.repository_id
      cross join unnest(n.identity_ids || o.identity_ids) as u (identity_id) join identities i on i.id = u.identity_id
      join accounts a on a.id = i.account_id and a.type = 'user'
      where f.path is not null
        and (n.identity_ids, n.authored_at, n.additions, n.deletions, n.changed_files, n.files)
          is distinct from (o.identity_ids, o.authored_at, o.additions, o.deletions, o.changed_files, o.files);
      return null;
    end $$`,
  sql`
    create function note_identities() returns trigger language plpgsql as $$
    begin
      insert into achievement_work (repository_id, account_id, kind)
      select distinct f.repository_id, a.id, 'commit'
      from new_rows n join old_rows o using (id)
      join repository_identities used on used.identity_id = n.id
      join achievement_files f on f.repository_id = used.repository_id and f.path is not null
      cross join unnest(array[n.account_id, o.account_id]) as p (account_id)
      join accounts a on a.id = p.account_id and a.type = 'user'
      where n.account_id is distinct from o.account_id;
      return null;
    end $$`,
  sql`
    create trigger commits_inserted_noted after insert on commits
    referencing new table as changed_rows for each statement execute function note_commits()`,
  sql`
    create trigger commits_deleted_noted after delete on commits
    referencing old table as changed_rows for each statement execute function note_commits()`,
  sql`
    create trigger commits_updated_noted after update on commits
    referencing old table as old_rows new table as new_rows for each statement execute function note_updated_commits()`,
  sql`
    create trigger identities_updated_noted after update on identities
    referencing old table as old_rows new table as new_rows for each statement execute function note_identities()`,
];

/** Triggers announce every visible change of an account's awards in the same transaction, for every writer. */
const announcing = [
  sql`
    create function announce_awards() returns trigger language plpgsql as $$
    begin
      perform pg_notify('plaudit', 'account ' || account_id) from (select distinct account_id from changed_rows) changed;
      return null;
    end $$`,
  sql`
    create trigger awards_inserted after insert on awards
    referencing new table as changed_rows for each statement execute function announce_awards()`,
  sql`
    create trigger awards_updated after update on awards
    referencing new table as changed_rows for each statement execute function announce_awards()`,
  sql`
    create trigger awards_deleted after delete on awards
    referencing old table as changed_rows for each statement execute function announce_awards()`,
  sql`
    create function announce_awarded_in_repository() returns trigger language plpgsql as $$
    begin
      perform pg_notify('plaudit', 'account ' || account_id) from (
        select distinct w.account_id from achievements a join awards w on w.achievement_id = a.id
        where a.repository_id = new.id) awarded;
      return null;
    end $$`,
  sql`
    create trigger repositories_seen_otherwise after update on repositories
    for each row when ((old.is_private, old.gone_at, old.owner_id, old.name)
      is distinct from (new.is_private, new.gone_at, new.owner_id, new.name))
    execute function announce_awarded_in_repository()`,
  sql`
    create function announce_awarded_by_owner() returns trigger language plpgsql as $$
    begin
      perform pg_notify('plaudit', 'account ' || account_id) from (
        select distinct w.account_id from repositories r join achievements a on a.repository_id = r.id
        join awards w on w.achievement_id = a.id where r.owner_id = new.id) awarded;
      return null;
    end $$`,
  sql`
    create trigger accounts_seen_otherwise after update on accounts
    for each row when ((old.hidden, old.publishes_private, old.gone_at, old.name)
      is distinct from (new.hidden, new.publishes_private, new.gone_at, new.name))
    execute function announce_awarded_by_owner()`,
  sql`
    create function announce_awarded() returns trigger language plpgsql as $$
    begin
      perform pg_notify('plaudit', 'account ' || account_id)
      from (select distinct account_id from awards where achievement_id = new.id) awarded;
      return null;
    end $$`,
  sql`
    create trigger achievements_seen_otherwise after update on achievements
    for each row when ((old.icon, old.description) is distinct from (new.icon, new.description))
    execute function announce_awarded()`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of [...tables, ...noting, ...notingCommits, ...announcing]) await statement.execute(database);
}
