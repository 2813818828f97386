-- Queues the evaluation of achievements in the statement that changes contributions, commits or identities, for every
-- writer, where a repository has an achievements file.

create or replace function people_of(contributions) returns setof uuid language sql immutable parallel safe as $$
  select $1.account_id union select $1.resolved_by union select $1.answered_by
  union select unnest($1.assignees) union select unnest($1.reviewers)
$$;

-- Changes are found by comparing whole rows, so that no column is forgotten, without those that scans write about
-- themselves: otherwise every full scan would evaluate all accounts. Composite values compare twice as fast as jsonb.
create or replace function contribution_without_scan(item contributions) returns contributions
language plpgsql immutable parallel safe as $$
begin
  item.seen_at := null;
  item.updated_at := null;
  return item;
end $$;

create or replace function commit_without_scan(item commits) returns commits
language plpgsql immutable parallel safe as $$
begin
  item.scan_number := null;
  return item;
end $$;

create or replace function queue_evaluations_of_inserted() returns trigger language plpgsql as $$
begin
  insert into pending_evaluations (repository_id, account_id, kind)
  select distinct n.repository_id, a.id, n.kind
  from achievement_files f join new_rows n using (repository_id) join repositories r on r.id = n.repository_id
  cross join people_of(n) as p (account_id) join accounts a on a.id = p.account_id and a.type = 'user'
  where f.path is not null;
  return null;
end $$;

create or replace function queue_evaluations_of_deleted() returns trigger language plpgsql as $$
begin
  insert into pending_evaluations (repository_id, account_id, kind)
  select distinct o.repository_id, a.id, o.kind
  from achievement_files f join old_rows o using (repository_id) join repositories r on r.id = o.repository_id
  cross join people_of(o) as p (account_id) join accounts a on a.id = p.account_id and a.type = 'user'
  where f.path is not null;
  return null;
end $$;

-- Changed labels matter to those who commented too.
create or replace function queue_evaluations_of_updated() returns trigger language plpgsql as $$
begin
  insert into pending_evaluations (repository_id, account_id, kind)
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
  where f.path is not null and contribution_without_scan(n) is distinct from contribution_without_scan(o);
  return null;
end $$;

create or replace trigger contributions_inserted_noted after insert on contributions
referencing new table as new_rows for each statement execute function queue_evaluations_of_inserted();

create or replace trigger contributions_deleted_noted after delete on contributions
referencing old table as old_rows for each statement execute function queue_evaluations_of_deleted();

create or replace trigger contributions_updated_noted after update on contributions
referencing old table as old_rows new table as new_rows for each statement
execute function queue_evaluations_of_updated();

create or replace function queue_evaluations_of_commits() returns trigger language plpgsql as $$
begin
  insert into pending_evaluations (repository_id, account_id, kind)
  select distinct c.repository_id, a.id, 'commit'
  from achievement_files f join changed_rows c using (repository_id) join repositories r on r.id = c.repository_id
  cross join unnest(c.identity_ids) as u (identity_id) join identities i on i.id = u.identity_id
  join accounts a on a.id = i.account_id and a.type = 'user'
  where f.path is not null;
  return null;
end $$;

create or replace function queue_evaluations_of_updated_commits() returns trigger language plpgsql as $$
begin
  insert into pending_evaluations (repository_id, account_id, kind)
  select distinct n.repository_id, a.id, 'commit'
  from new_rows n join old_rows o using (repository_id, oid)
  join achievement_files f on f.repository_id = n.repository_id
  cross join unnest(n.identity_ids || o.identity_ids) as u (identity_id) join identities i on i.id = u.identity_id
  join accounts a on a.id = i.account_id and a.type = 'user'
  where f.path is not null and commit_without_scan(n) is distinct from commit_without_scan(o);
  return null;
end $$;

create or replace trigger commits_inserted_noted after insert on commits
referencing new table as changed_rows for each statement execute function queue_evaluations_of_commits();

create or replace trigger commits_deleted_noted after delete on commits
referencing old table as changed_rows for each statement execute function queue_evaluations_of_commits();

create or replace trigger commits_updated_noted after update on commits
referencing old table as old_rows new table as new_rows for each statement
execute function queue_evaluations_of_updated_commits();

create or replace function queue_evaluations_of_identities() returns trigger language plpgsql as $$
begin
  insert into pending_evaluations (repository_id, account_id, kind)
  select distinct f.repository_id, a.id, 'commit'
  from new_rows n join old_rows o using (id)
  join repository_identities used on used.identity_id = n.id
  join achievement_files f on f.repository_id = used.repository_id and f.path is not null
  cross join unnest(array[n.account_id, o.account_id]) as p (account_id)
  join accounts a on a.id = p.account_id and a.type = 'user'
  where n.account_id is distinct from o.account_id;
  return null;
end $$;

create or replace trigger identities_updated_noted after update on identities
referencing old table as old_rows new table as new_rows for each statement
execute function queue_evaluations_of_identities();
