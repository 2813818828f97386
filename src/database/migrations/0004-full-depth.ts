import { type Kysely, sql } from 'kysely';

/** Details of contributions to installed repositories, and totals that follow every change. */
const columns = [
  sql`alter table contributions drop constraint contributions_kind_check`,
  sql`
    alter table contributions add constraint contributions_kind_check check (kind in (
      'issue', 'pull_request', 'review', 'discussion', 'issue_comment', 'pull_request_comment', 'review_comment', 'star'))`,
  sql`
    alter table contributions
      add column number integer,
      add column resolved_by uuid references accounts on delete set null,
      add column assignees uuid[],
      add column reviewers uuid[],
      add column comments integer,
      add column emojis text[],
      add column reactors uuid[],
      add column additions integer,
      add column deletions integer,
      add column changed_files integer,
      add column commits integer,
      add column upvotes integer,
      add column labels text[],
      add column files text[],
      add column reason text`,
  sql`create index contributions_resolved_by on contributions (resolved_by) where resolved_by is not null`,
  sql`
    create index contributions_number on contributions (repository_id, number)
    where number is not null and kind in ('issue', 'pull_request')`,
  sql`
    create index contributions_orphans on contributions (repository_id, number)
    where parent_external_id is null and kind in ('issue_comment', 'pull_request_comment', 'review_comment')`,
  sql`
    alter table commits
      add column additions integer, add column deletions integer, add column changed_files integer,
      add column files text[]`,
  sql`alter table repositories add column installed_at timestamptz`,
  sql`
    alter table streams
      add column is_deep boolean not null default false,
      add column scan_is_deep boolean not null default false,
      add column hinted_at timestamptz,
      add column full_scan_wanted_at timestamptz`,
  sql`
    create table repository_polls (
      repository_id uuid primary key references repositories on delete cascade,
      next_at timestamptz not null,
      interval_s integer not null,
      digest text not null
    )`,
  sql`create index repository_polls_next on repository_polls (next_at)`,
];

const totals = [
  sql`
    alter table contributor_totals
      add column issues_closed integer not null default 0,
      add column pull_requests_merged integer not null default 0,
      add column discussions_answered integer not null default 0`,
  sql`
    alter table repository_totals
      add column issue_comments integer not null default 0,
      add column pull_request_comments integer not null default 0,
      add column review_comments integer not null default 0,
      add column stars integer not null default 0,
      add column commits_counted boolean not null default false,
      add column is_changed boolean not null default false`,
  sql`
    create table contribution_days (
      account_id uuid not null references accounts on delete cascade,
      repository_id uuid not null references repositories on delete cascade,
      day date not null,
      commits integer not null default 0,
      issues integer not null default 0,
      pull_requests integer not null default 0,
      reviews integer not null default 0,
      discussions integer not null default 0,
      primary key (account_id, repository_id, day)
    )`,
  sql`create index contribution_days_repository on contribution_days (repository_id)`,
  sql`
    create table repository_identities (
      repository_id uuid not null references repositories on delete cascade,
      identity_id integer not null references identities on delete cascade,
      oid bytea not null,
      primary key (repository_id, identity_id)
    )`,
  sql`create index repository_identities_identity on repository_identities (identity_id)`,
  sql`
    create table uncounted_commits (
      repository_id uuid not null references repositories on delete cascade,
      oid bytea not null,
      primary key (repository_id, oid)
    )`,
];

/**
 * Triggers change the totals in the same statement as `contributions`, for every writer. `kind` is that of a
 * contribution, `answer` for an accepted answer, `commit` for a person's commits, `history` for a repository's.
 */
const counting = [
  sql`
    create type contribution_change as (
      repository_id uuid, account_id uuid, day date, kind text, added integer, closed integer, merged integer,
      answered integer)`,
  sql`
    create function count_changes(changes contribution_change[]) returns void language plpgsql as $$
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
    end $$`,
  sql`
    create function changes_of(contributions, sign integer) returns setof contribution_change
    language sql immutable parallel safe as $$
      select $1.repository_id, $1.account_id, ($1.created_at at time zone 'UTC')::date, $1.kind, sign,
        sign * ($1.closed_at is not null)::integer, sign * ($1.merged_at is not null)::integer,
        sign * $1.answered::integer
      union all
      select $1.repository_id, $1.answered_by, ($1.created_at at time zone 'UTC')::date, 'answer', sign, 0, 0, 0
      where $1.kind = 'discussion' and $1.answered and $1.answered_by is not null
    $$`,
  sql`
    create function count_inserted() returns trigger language plpgsql as $$
    begin
      perform count_changes(array(
        select (c.repository_id, c.account_id, c.day, c.kind, sum(c.added), sum(c.closed), sum(c.merged),
          sum(c.answered))::contribution_change
        from new_rows n, changes_of(n, 1) c
        group by c.repository_id, c.account_id, c.day, c.kind));
      return null;
    end $$`,
  sql`
    create function count_deleted() returns trigger language plpgsql as $$
    begin
      perform count_changes(array(
        select (c.repository_id, c.account_id, c.day, c.kind, sum(c.added), sum(c.closed), sum(c.merged),
          sum(c.answered))::contribution_change
        from old_rows o, changes_of(o, -1) c
        group by c.repository_id, c.account_id, c.day, c.kind));
      return null;
    end $$`,
  sql`
    create function count_updated() returns trigger language plpgsql as $$
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
    end $$`,
  sql`
    create trigger contributions_inserted after insert on contributions
    referencing new table as new_rows for each statement execute function count_inserted()`,
  sql`
    create trigger contributions_deleted after delete on contributions
    referencing old table as old_rows for each statement execute function count_deleted()`,
  sql`
    create trigger contributions_updated after update on contributions
    referencing old table as old_rows new table as new_rows for each statement execute function count_updated()`,
];

/** Counts the data that was stored before, once, and converts waiting deliveries to their present form. */
const filling = [
  sql`
    update deliveries set changes = (
      select coalesce(jsonb_agg(case change ->> 'what' when 'contributions' then change || '{"streams": []}' else change end),
        '[]')
      from jsonb_array_elements(changes) as change)
    where applied_at is null`,
  sql`
    insert into repository_identities (repository_id, identity_id, oid)
    select c.repository_id, u.identity_id, (array_agg(c.oid order by c.oid))[1]
    from commits c cross join unnest(c.identity_ids) as u (identity_id)
    where exists (select from identities i where i.id = u.identity_id)
    group by c.repository_id, u.identity_id`,
  sql`
    insert into contribution_days (account_id, repository_id, day, commits, issues, pull_requests, reviews, discussions)
    select account_id, repository_id, day, sum(commits), sum(issues), sum(pull_requests), sum(reviews), sum(discussions)
    from (
      select i.account_id, c.repository_id, (c.authored_at at time zone 'UTC')::date as day,
        count(distinct c.oid) as commits, 0 as issues, 0 as pull_requests, 0 as reviews, 0 as discussions
      from commits c cross join unnest(c.identity_ids) as u (identity_id) join identities i on i.id = u.identity_id
      where i.account_id is not null group by 1, 2, 3
      union all
      select account_id, repository_id, (created_at at time zone 'UTC')::date, 0, count(*) filter (where kind = 'issue'),
        count(*) filter (where kind = 'pull_request'), count(*) filter (where kind = 'review'),
        count(*) filter (where kind = 'discussion')
      from contributions where account_id is not null group by 1, 2, 3) counted
    group by account_id, repository_id, day`,
  sql`
    insert into contributor_totals as t (
      repository_id, account_id, commits, issues, pull_requests, reviews, discussions, issues_closed,
      pull_requests_merged, discussions_answered)
    select repository_id, account_id, 0, 0, 0, 0, 0, sum(issues_closed), sum(pull_requests_merged), sum(answers)
    from (
      select repository_id, account_id, count(*) filter (where kind = 'issue' and closed_at is not null) as issues_closed,
        count(*) filter (where kind = 'pull_request' and merged_at is not null) as pull_requests_merged, 0 as answers
      from contributions where account_id is not null group by 1, 2
      union all
      select repository_id, answered_by, 0, 0, count(*)
      from contributions where answered and answered_by is not null group by 1, 2) ended
    group by repository_id, account_id
    having sum(issues_closed) + sum(pull_requests_merged) + sum(answers) > 0
    on conflict (repository_id, account_id) do update set
      issues_closed = excluded.issues_closed, pull_requests_merged = excluded.pull_requests_merged,
      discussions_answered = excluded.discussions_answered`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of [...columns, ...totals, ...filling, ...counting]) await statement.execute(database);
}
