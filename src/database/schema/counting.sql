-- Totals and days change in the same statement as contributions, for every writer. `kind` is that of a contribution,
-- `answer` for an accepted answer, `commit` for a person's commits, `history` for a repository's.

create or replace function changes_of(contributions, sign integer) returns setof contribution_change
language sql immutable parallel safe as $$
  select $1.repository_id, $1.account_id, ($1.created_at at time zone 'UTC')::date, $1.kind, sign,
    sign * ($1.closed_at is not null)::integer, sign * ($1.merged_at is not null)::integer,
    sign * $1.answered::integer
  union all
  select $1.repository_id, $1.answered_by, ($1.created_at at time zone 'UTC')::date, 'answer', sign, 0, 0, 0
  where $1.kind = 'discussion' and $1.answered and $1.answered_by is not null
$$;

create or replace function count_changes(changes contribution_change[]) returns void language plpgsql as $$
begin
  if cardinality(changes) is null or cardinality(changes) = 0 then return; end if;
  insert into repository_totals as t (
    repository_id, commits, issues, issues_closed, pull_requests, pull_requests_merged, reviews, discussions,
    discussions_answered, issue_comments, pull_request_comments, review_comments, stars, is_changed)
  select c.repository_id,
    coalesce(sum(added) filter (where kind = 'history'), 0),
    coalesce(sum(added) filter (where kind = 'issue'), 0), coalesce(sum(closed) filter (where kind = 'issue'), 0),
    coalesce(sum(added) filter (where kind = 'pull_request'), 0),
    coalesce(sum(merged) filter (where kind = 'pull_request'), 0),
    coalesce(sum(added) filter (where kind = 'review'), 0),
    coalesce(sum(added) filter (where kind = 'discussion'), 0),
    coalesce(sum(answered) filter (where kind = 'discussion'), 0),
    coalesce(sum(added) filter (where kind = 'issue_comment'), 0),
    coalesce(sum(added) filter (where kind = 'pull_request_comment'), 0),
    coalesce(sum(added) filter (where kind = 'review_comment'), 0),
    coalesce(sum(added) filter (where kind = 'star'), 0), true
  from unnest(changes) c join repositories r on r.id = c.repository_id
  group by c.repository_id order by c.repository_id
  on conflict (repository_id) do update set
    commits = t.commits + excluded.commits, issues = t.issues + excluded.issues,
    issues_closed = t.issues_closed + excluded.issues_closed,
    pull_requests = t.pull_requests + excluded.pull_requests,
    pull_requests_merged = t.pull_requests_merged + excluded.pull_requests_merged,
    reviews = t.reviews + excluded.reviews, discussions = t.discussions + excluded.discussions,
    discussions_answered = t.discussions_answered + excluded.discussions_answered,
    issue_comments = t.issue_comments + excluded.issue_comments,
    pull_request_comments = t.pull_request_comments + excluded.pull_request_comments,
    review_comments = t.review_comments + excluded.review_comments, stars = t.stars + excluded.stars,
    is_changed = true;

  insert into contributor_totals as t (
    repository_id, account_id, commits, issues, issues_closed, pull_requests, pull_requests_merged, reviews,
    discussions, discussions_answered)
  select c.repository_id, c.account_id,
    coalesce(sum(added) filter (where kind = 'commit'), 0),
    coalesce(sum(added) filter (where kind = 'issue'), 0), coalesce(sum(closed) filter (where kind = 'issue'), 0),
    coalesce(sum(added) filter (where kind = 'pull_request'), 0),
    coalesce(sum(merged) filter (where kind = 'pull_request'), 0),
    coalesce(sum(added) filter (where kind = 'review'), 0),
    coalesce(sum(added) filter (where kind = 'discussion'), 0),
    coalesce(sum(added) filter (where kind = 'answer'), 0)
  from unnest(changes) c join repositories r on r.id = c.repository_id join accounts a on a.id = c.account_id
  where kind in ('commit', 'issue', 'pull_request', 'review', 'discussion', 'answer')
  group by c.repository_id, c.account_id order by c.repository_id, c.account_id
  on conflict (repository_id, account_id) do update set
    commits = t.commits + excluded.commits, issues = t.issues + excluded.issues,
    issues_closed = t.issues_closed + excluded.issues_closed,
    pull_requests = t.pull_requests + excluded.pull_requests,
    pull_requests_merged = t.pull_requests_merged + excluded.pull_requests_merged,
    reviews = t.reviews + excluded.reviews, discussions = t.discussions + excluded.discussions,
    discussions_answered = t.discussions_answered + excluded.discussions_answered;

  insert into contribution_days as t (
    account_id, repository_id, day, commits, issues, pull_requests, reviews, discussions)
  select c.account_id, c.repository_id, c.day,
    coalesce(sum(added) filter (where kind = 'commit'), 0),
    coalesce(sum(added) filter (where kind = 'issue'), 0),
    coalesce(sum(added) filter (where kind = 'pull_request'), 0),
    coalesce(sum(added) filter (where kind = 'review'), 0),
    coalesce(sum(added) filter (where kind = 'discussion'), 0)
  from unnest(changes) c join repositories r on r.id = c.repository_id join accounts a on a.id = c.account_id
  where kind in ('commit', 'issue', 'pull_request', 'review', 'discussion')
  group by c.account_id, c.repository_id, c.day
  having bool_or(added <> 0)
  order by c.account_id, c.repository_id, c.day
  on conflict (account_id, repository_id, day) do update set
    commits = t.commits + excluded.commits, issues = t.issues + excluded.issues,
    pull_requests = t.pull_requests + excluded.pull_requests, reviews = t.reviews + excluded.reviews,
    discussions = t.discussions + excluded.discussions;

  if exists (select from unnest(changes) c where c.added < 0) then
    delete from contributor_totals t using (
      select distinct repository_id, account_id from unnest(changes)) c
    where t.repository_id = c.repository_id and t.account_id = c.account_id
      and t.commits = 0 and t.issues = 0 and t.pull_requests = 0 and t.reviews = 0 and t.discussions = 0
      and t.discussions_answered = 0;
    delete from contribution_days t using (
      select distinct repository_id, account_id, day from unnest(changes)) c
    where t.repository_id = c.repository_id and t.account_id = c.account_id and t.day = c.day
      and t.commits = 0 and t.issues = 0 and t.pull_requests = 0 and t.reviews = 0 and t.discussions = 0;
  end if;
end $$;

create or replace function count_inserted() returns trigger language plpgsql as $$
begin
  perform count_changes(array(
    select (c.repository_id, c.account_id, c.day, c.kind, sum(c.added), sum(c.closed), sum(c.merged),
      sum(c.answered))::contribution_change
    from new_rows n, changes_of(n, 1) c
    group by c.repository_id, c.account_id, c.day, c.kind));
  return null;
end $$;

create or replace function count_deleted() returns trigger language plpgsql as $$
begin
  perform count_changes(array(
    select (c.repository_id, c.account_id, c.day, c.kind, sum(c.added), sum(c.closed), sum(c.merged),
      sum(c.answered))::contribution_change
    from old_rows o, changes_of(o, -1) c
    group by c.repository_id, c.account_id, c.day, c.kind));
  return null;
end $$;

create or replace function count_updated() returns trigger language plpgsql as $$
begin
  if not exists (select from new_rows) then return null; end if;
  perform count_changes(array(
    select (c.repository_id, c.account_id, c.day, c.kind, sum(c.added), sum(c.closed), sum(c.merged),
      sum(c.answered))::contribution_change
    from (
      select c.* from new_rows n, changes_of(n, 1) c
      union all
      select c.* from old_rows o, changes_of(o, -1) c) c
    group by c.repository_id, c.account_id, c.day, c.kind
    having sum(c.added) <> 0 or sum(c.closed) <> 0 or sum(c.merged) <> 0 or sum(c.answered) <> 0));
  return null;
end $$;

create or replace trigger contributions_inserted after insert on contributions
referencing new table as new_rows for each statement execute function count_inserted();

create or replace trigger contributions_deleted after delete on contributions
referencing old table as old_rows for each statement execute function count_deleted();

create or replace trigger contributions_updated after update on contributions
referencing old table as old_rows new table as new_rows for each statement execute function count_updated();
