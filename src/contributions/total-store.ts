import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import type { Counters } from './counters.ts';

/**
 * Counts anew what one repository holds, per contributor and in all, from its stored contributions.
 * A commit counts once per person, however many of its addresses are theirs.
 * @returns whether anything was different.
 */
export async function recountRepository(connection: Connection, repositoryId: string): Promise<boolean> {
  const { rows } = await sql<{ changed: boolean }>`
    with authored as (
      select distinct c.oid, i.account_id
      from commits c cross join unnest(c.identity_ids) as u (identity_id) join identities i on i.id = u.identity_id
      where c.repository_id = ${repositoryId} and i.account_id is not null
    ), counted as (
      select account_id, count(*) as commits, 0 as issues, 0 as pull_requests, 0 as reviews, 0 as discussions
      from authored group by account_id
      union all
      select account_id, 0, count(*) filter (where kind = 'issue'), count(*) filter (where kind = 'pull_request'),
        count(*) filter (where kind = 'review'), count(*) filter (where kind = 'discussion')
      from contributions where repository_id = ${repositoryId} and account_id is not null group by account_id
    ), summed as (
      select account_id, sum(commits)::integer as commits, sum(issues)::integer as issues,
        sum(pull_requests)::integer as pull_requests, sum(reviews)::integer as reviews,
        sum(discussions)::integer as discussions
      from counted group by account_id
    ), vanished as (
      delete from contributor_totals
      where repository_id = ${repositoryId} and account_id not in (select account_id from summed)
      returning 1
    ), saved as (
      insert into contributor_totals as t (
        repository_id, account_id, commits, issues, pull_requests, reviews, discussions)
      select ${repositoryId}, account_id, commits, issues, pull_requests, reviews, discussions
      from summed order by account_id
      on conflict (repository_id, account_id) do update set
        commits = excluded.commits, issues = excluded.issues, pull_requests = excluded.pull_requests,
        reviews = excluded.reviews, discussions = excluded.discussions
      where (t.commits, t.issues, t.pull_requests, t.reviews, t.discussions)
        is distinct from (excluded.commits, excluded.issues, excluded.pull_requests, excluded.reviews,
          excluded.discussions)
      returning 1
    ), whole as (
      insert into repository_totals (
        repository_id, commits, issues, issues_closed, pull_requests, pull_requests_merged, reviews, discussions,
        discussions_answered)
      select ${repositoryId}, (select count(*) from commits where repository_id = ${repositoryId}),
        count(*) filter (where kind = 'issue'), count(*) filter (where kind = 'issue' and closed_at is not null),
        count(*) filter (where kind = 'pull_request'),
        count(*) filter (where kind = 'pull_request' and merged_at is not null),
        count(*) filter (where kind = 'review'), count(*) filter (where kind = 'discussion'),
        count(*) filter (where kind = 'discussion' and answered)
      from contributions where repository_id = ${repositoryId}
      on conflict (repository_id) do update set
        commits = excluded.commits, issues = excluded.issues, issues_closed = excluded.issues_closed,
        pull_requests = excluded.pull_requests, pull_requests_merged = excluded.pull_requests_merged,
        reviews = excluded.reviews, discussions = excluded.discussions,
        discussions_answered = excluded.discussions_answered
    )
    select exists (select from saved) or exists (select from vanished) as changed`.execute(connection);
  return rows[0]?.changed ?? false;
}

/** What was contributed to the repositories that an account owns: an organization's counters. */
export async function sumOverOwned(
  connection: Connection,
  ownerId: string,
  { withPrivate }: { withPrivate: boolean },
): Promise<Counters> {
  const { rows } = await sql<Counters>`
    select coalesce(sum(t.commits), 0)::integer as commits,
      coalesce(sum(t.issues), 0)::integer as issues,
      coalesce(sum(t.pull_requests), 0)::integer as pull_requests,
      coalesce(sum(t.reviews), 0)::integer as reviews,
      coalesce(sum(r.stars) filter (where not r.is_fork), 0)::integer as stars,
      (count(*) filter (where t.commits + t.issues + t.pull_requests + t.reviews > 0))::integer as contributed_to,
      coalesce(sum(t.issues_closed), 0)::integer as issues_closed,
      coalesce(sum(t.pull_requests_merged), 0)::integer as pull_requests_merged,
      coalesce(sum(t.discussions), 0)::integer as discussions,
      coalesce(sum(t.discussions_answered), 0)::integer as discussions_answered
    from repositories r left join repository_totals t on t.repository_id = r.id
    where r.owner_id = ${ownerId} and (${withPrivate}::boolean or not r.is_private) and r.gone_at is null`.execute(
    connection,
  );
  const [sums] = rows;
  if (sums === undefined) throw new Error('an aggregate gave no row');
  return sums;
}
