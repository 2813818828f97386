import { sql } from 'kysely';
import { isPresentInSql } from '../../accounts/repositories/present-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import type { Visibility } from './uncollected-store.ts';

/**
 * Counts the commits of an owner's repositories that are stored and not in the totals yet, because their history is being
 * read, and the repositories of which the totals hold nothing else. They are negative where commits were removed.
 */
export async function countUncounted(
  connection: Connection,
  ownerId: string,
  visibility: Visibility,
): Promise<{ commits: number; repositories: number }> {
  const { rows } = await sql<{ commits: number; repositories: number }>`
    with unread as materialized (
      select r.id from summed_repositories s join repositories r on r.id = s.repository_id
      where s.owner_id = ${ownerId}::uuid and s.uncollected_commits > 0 and ${isPresentInSql('r')}
        and (${visibility === 'all'}::boolean or r.is_private = ${visibility === 'private'}::boolean)
    ), counted as (
      select t.commits + t.issues + t.pull_requests + t.reviews > 0 as is_contributed_to,
        case when t.commits_counted
          then (select count(*) from uncounted_commits u where u.repository_id = t.repository_id)
          else (select count(*) from commits c where c.repository_id = t.repository_id) - t.commits end as more
      from repository_totals t where t.repository_id in (select id from unread)
    )
    select coalesce(sum(more), 0)::integer as commits,
      (count(*) filter (where more > 0 and not is_contributed_to))::integer as repositories
    from counted`.execute(connection);
  return rows[0] ?? { commits: 0, repositories: 0 };
}
