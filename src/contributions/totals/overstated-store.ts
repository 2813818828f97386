import { sql } from 'kysely';
import { isPresentInSql } from '../../accounts/repositories/present-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { type CounterName, counterNames } from '../../model/counters.ts';
import { listNeeds } from '../../model/kinds.ts';
import { type CountersOfDay, findHistory } from './counter-store.ts';
import { countStored } from './private-store.ts';
import { contributedBy, toKinds, type Visibility } from './uncollected-store.ts';

/**
 * Finds the counters of a user of which more is stored than the host counts, while repositories are being read again to find
 * the items that were deleted there. After that, items that the host does not count keep nothing incomplete.
 */
export async function findOverstated(connection: Connection, accountId: string): Promise<CounterName[]> {
  const { rows } = await sql<{ kind: string }>`
    with ${contributedBy(accountId)}
    select distinct unnest(s.covers) as kind from streams s join repositories r on r.id = s.repository_id
    where s.repository_id in (select repository_id from contributed)
      and s.full_scan_wanted_at >= coalesce(s.full_scan_at, '-infinity')
      and not r.is_private and not r.is_fork and ${isPresentInSql('r')}`.execute(connection);
  const kinds = toKinds(rows.map(({ kind }) => kind));
  if (kinds.length === 0) return [];
  const names = await findExcess(connection, accountId);
  return names.filter((name) => listNeeds(name).some((kind) => kinds.includes(kind)));
}

/** Finds the counters of a user of which more is stored than the host last reported. */
export async function findExcess(connection: Connection, accountId: string): Promise<CounterName[]> {
  const [reported] = await findHistory(connection, accountId, { limit: 1 });
  const { counters: stored } = await countStored(connection, accountId, 'public');
  return reported === undefined ? [] : compareStored(stored, reported);
}

/** Returns the counters of which more is stored than the host reported. Stars are those of a listing, never counted here. */
export function compareStored(stored: Record<CounterName, number>, { counters }: CountersOfDay): CounterName[] {
  return counterNames.filter((name) => {
    const reported = counters[name];
    return name !== 'stars' && reported !== null && stored[name] > reported;
  });
}

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
