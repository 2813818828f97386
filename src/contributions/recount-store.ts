import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import { markAddressesCounted } from './identity-store.ts';
import { markTotalsChanged } from './total-store.ts';

/**
 * Counts the totals of one repository again, from all its stored contributions. Writes and locks only rows that differ,
 * because others follow the repository meanwhile. Must run in a transaction.
 * @returns how many stored totals differed; expected to be 0 unless all commits had to be counted again.
 */
export async function recountRepository(connection: Connection, repositoryId: string): Promise<number> {
  await markAddressesCounted(connection, repositoryId);
  // Transactions that change totals hold this row, so the statements below see all that they stored.
  await sql`
    insert into repository_totals (
      repository_id, commits, issues, issues_closed, pull_requests, pull_requests_merged, reviews, discussions,
      discussions_answered)
    values (${repositoryId}, 0, 0, 0, 0, 0, 0, 0, 0)
    on conflict (repository_id) do nothing`.execute(connection);
  await sql`
    select from repository_totals where repository_id = ${repositoryId} for no key update`.execute(connection);
  await connection.deleteFrom('uncounted_commits').where('repository_id', '=', repositoryId).execute();
  const differences = [
    await recountDays(connection, repositoryId),
    await recountContributors(connection, repositoryId),
    await recountWhole(connection, repositoryId),
  ].reduce((sum, count) => sum + count, 0);
  if (differences > 0) await markTotalsChanged(connection, repositoryId);
  return differences;
}

async function recountDays(connection: Connection, repositoryId: string): Promise<number> {
  const { rows } = await sql<{ differences: number }>`
    with authored as (
      select distinct c.oid, i.account_id, (c.authored_at at time zone 'UTC')::date as day
      from commits c cross join unnest(c.identity_ids) as u (identity_id) join identities i on i.id = u.identity_id
      where c.repository_id = ${repositoryId} and i.account_id is not null
    ), counted as (
      select account_id, day, count(*) as commits, 0 as issues, 0 as pull_requests, 0 as reviews, 0 as discussions
      from authored group by account_id, day
      union all
      select account_id, (created_at at time zone 'UTC')::date, 0, count(*) filter (where kind = 'issue'),
        count(*) filter (where kind = 'pull_request'), count(*) filter (where kind = 'review'),
        count(*) filter (where kind = 'discussion')
      from contributions
      where repository_id = ${repositoryId} and account_id is not null
        and kind in ('issue', 'pull_request', 'review', 'discussion')
      group by 1, 2
    ), summed as (
      select account_id, day, sum(commits)::integer as commits, sum(issues)::integer as issues,
        sum(pull_requests)::integer as pull_requests, sum(reviews)::integer as reviews,
        sum(discussions)::integer as discussions
      from counted group by account_id, day
    ), vanished as (
      delete from contribution_days d
      where repository_id = ${repositoryId}
        and not exists (select from summed s where s.account_id = d.account_id and s.day = d.day)
      returning 1
    ), saved as (
      insert into contribution_days (
        account_id, repository_id, day, commits, issues, pull_requests, reviews, discussions)
      select account_id, ${repositoryId}, day, commits, issues, pull_requests, reviews, discussions
      from summed s
      where not exists (
        select from contribution_days k
        where k.repository_id = ${repositoryId} and k.account_id = s.account_id and k.day = s.day
          and (k.commits, k.issues, k.pull_requests, k.reviews, k.discussions)
            = (s.commits, s.issues, s.pull_requests, s.reviews, s.discussions))
      order by account_id, day
      on conflict (account_id, repository_id, day) do update set
        commits = excluded.commits, issues = excluded.issues, pull_requests = excluded.pull_requests,
        reviews = excluded.reviews, discussions = excluded.discussions
      returning 1
    )
    select ((select count(*) from vanished) + (select count(*) from saved))::integer as differences`.execute(
    connection,
  );
  return rows[0]?.differences ?? 0;
}

/** Counts totals from the days, which must be right by then, and from the contributions that days do not contain. */
async function recountContributors(connection: Connection, repositoryId: string): Promise<number> {
  const { rows } = await sql<{ differences: number }>`
    with counted as (
      select account_id, sum(commits) as commits, sum(issues) as issues, 0 as issues_closed,
        sum(pull_requests) as pull_requests, 0 as pull_requests_merged, sum(reviews) as reviews,
        sum(discussions) as discussions, 0 as discussions_answered
      from contribution_days where repository_id = ${repositoryId} group by account_id
      union all
      select account_id, 0, 0, count(*) filter (where kind = 'issue' and closed_at is not null), 0,
        count(*) filter (where kind = 'pull_request' and merged_at is not null), 0, 0, 0
      from contributions
      where repository_id = ${repositoryId} and account_id is not null and kind in ('issue', 'pull_request')
      group by account_id
      union all
      select answered_by, 0, 0, 0, 0, 0, 0, 0, count(*)
      from contributions
      where repository_id = ${repositoryId} and kind = 'discussion' and answered and answered_by is not null
      group by answered_by
    ), summed as (
      select account_id, sum(commits)::integer as commits, sum(issues)::integer as issues,
        sum(issues_closed)::integer as issues_closed, sum(pull_requests)::integer as pull_requests,
        sum(pull_requests_merged)::integer as pull_requests_merged, sum(reviews)::integer as reviews,
        sum(discussions)::integer as discussions, sum(discussions_answered)::integer as discussions_answered
      from counted group by account_id
    ), vanished as (
      delete from contributor_totals
      where repository_id = ${repositoryId} and account_id not in (select account_id from summed)
      returning 1
    ), saved as (
      insert into contributor_totals (
        repository_id, account_id, commits, issues, issues_closed, pull_requests, pull_requests_merged, reviews,
        discussions, discussions_answered)
      select ${repositoryId}, s.* from summed s
      where not exists (
        select from contributor_totals k
        where k.repository_id = ${repositoryId} and k.account_id = s.account_id
          and (k.commits, k.issues, k.issues_closed, k.pull_requests, k.pull_requests_merged, k.reviews, k.discussions,
              k.discussions_answered)
            = (s.commits, s.issues, s.issues_closed, s.pull_requests, s.pull_requests_merged, s.reviews, s.discussions,
              s.discussions_answered))
      order by account_id
      on conflict (repository_id, account_id) do update set
        commits = excluded.commits, issues = excluded.issues, issues_closed = excluded.issues_closed,
        pull_requests = excluded.pull_requests, pull_requests_merged = excluded.pull_requests_merged,
        reviews = excluded.reviews, discussions = excluded.discussions,
        discussions_answered = excluded.discussions_answered
      returning 1
    )
    select ((select count(*) from vanished) + (select count(*) from saved))::integer as differences`.execute(
    connection,
  );
  return rows[0]?.differences ?? 0;
}

async function recountWhole(connection: Connection, repositoryId: string): Promise<number> {
  const { rows } = await sql<{ differences: number }>`
    with counted as (
      select (select count(*) from commits where repository_id = ${repositoryId})::integer as commits,
        (count(*) filter (where kind = 'issue'))::integer as issues,
        (count(*) filter (where kind = 'issue' and closed_at is not null))::integer as issues_closed,
        (count(*) filter (where kind = 'pull_request'))::integer as pull_requests,
        (count(*) filter (where kind = 'pull_request' and merged_at is not null))::integer as pull_requests_merged,
        (count(*) filter (where kind = 'review'))::integer as reviews,
        (count(*) filter (where kind = 'discussion'))::integer as discussions,
        (count(*) filter (where kind = 'discussion' and answered))::integer as discussions_answered,
        (count(*) filter (where kind = 'issue_comment'))::integer as issue_comments,
        (count(*) filter (where kind = 'pull_request_comment'))::integer as pull_request_comments,
        (count(*) filter (where kind = 'review_comment'))::integer as review_comments,
        (count(*) filter (where kind = 'star'))::integer as stars
      from contributions where repository_id = ${repositoryId}
    ), before as (
      select * from repository_totals where repository_id = ${repositoryId}
    ), differing as (
      select c.* from counted c, before b
      where (c.commits, c.issues, c.issues_closed, c.pull_requests, c.pull_requests_merged, c.reviews, c.discussions,
          c.discussions_answered, c.issue_comments, c.pull_request_comments, c.review_comments, c.stars)
        is distinct from (b.commits, b.issues, b.issues_closed, b.pull_requests, b.pull_requests_merged, b.reviews,
          b.discussions, b.discussions_answered, b.issue_comments, b.pull_request_comments, b.review_comments, b.stars)
    ), saved as (
      update repository_totals t set
        commits = c.commits, issues = c.issues, issues_closed = c.issues_closed, pull_requests = c.pull_requests,
        pull_requests_merged = c.pull_requests_merged, reviews = c.reviews, discussions = c.discussions,
        discussions_answered = c.discussions_answered, issue_comments = c.issue_comments,
        pull_request_comments = c.pull_request_comments, review_comments = c.review_comments, stars = c.stars,
        commits_counted = true
      from counted c
      where t.repository_id = ${repositoryId} and (not t.commits_counted or exists (select from differing))
    )
    select count(*)::integer as differences from differing`.execute(connection);
  return rows[0]?.differences ?? 0;
}
