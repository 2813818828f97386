import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import { isPresentInSql } from '../repositories/shown-store.ts';
import { type ContributionKind, contributionKinds } from './contribution.ts';
import { type Counters, unknownCounters } from './counters.ts';
import { markAddressesCounted } from './identity-store.ts';
import { toKinds, uncollectedKinds } from './uncollected-store.ts';

/**
 * Totals of a repository, per contributor, per day and overall. Triggers of the table count changes of issues, pull
 * requests, reviews, discussions and comments; this module counts commits once they are stored and their authors known.
 */

/**
 * Counts stored commits that are not counted yet. A commit counts once per person, also when it names several of that
 * person's addresses. Must run in a transaction.
 */
export async function countNewCommits(connection: Connection, repositoryId: string): Promise<void> {
  await markAddressesCounted(connection, repositoryId);
  await sql`
    with uncounted as (
      delete from uncounted_commits where repository_id = ${repositoryId} returning oid
    ), found as (
      select c.oid, (c.authored_at at time zone 'UTC')::date as day, c.identity_ids
      from commits c join uncounted u on u.oid = c.oid where c.repository_id = ${repositoryId}
    )
    select count_changes(array(
      select (${repositoryId}::uuid, account_id, day, kind, count(*), 0, 0, 0)::contribution_change
      from (
        select distinct f.oid, i.account_id, f.day, 'commit' as kind
        from found f cross join unnest(f.identity_ids) as u (identity_id) join identities i on i.id = u.identity_id
        where i.account_id is not null
        union all
        select oid, null, day, 'history' from found) credited
      group by account_id, day, kind))`.execute(connection);
}

/**
 * Subtracts commits that are about to be removed from the totals.
 * @param oids hexadecimal.
 */
export async function uncountCommits(
  connection: Connection,
  repositoryId: string,
  oids: readonly string[],
): Promise<void> {
  await sql`
    with lost as (
      select c.oid, (c.authored_at at time zone 'UTC')::date as day, c.identity_ids
      from commits c
      where c.repository_id = ${repositoryId} and c.oid = any(${oids.map((oid) => `\\x${oid}`)}::bytea[])
        and not exists (
          select from uncounted_commits u where u.repository_id = c.repository_id and u.oid = c.oid)
    )
    select count_changes(array(
      select (${repositoryId}::uuid, account_id, day, kind, -count(*), 0, 0, 0)::contribution_change
      from (
        select distinct l.oid, i.account_id, l.day, 'commit' as kind
        from lost l cross join unnest(l.identity_ids) as u (identity_id) join identities i on i.id = u.identity_id
        where i.account_id is not null
        union all
        select oid, null, day, 'history' from lost) credited
      group by account_id, day, kind))`.execute(connection);
}

/**
 * Returns whether a repository's commits are in the totals, except those that wait to be counted; otherwise all have to
 * be counted again.
 */
export async function areCommitsCounted(connection: Connection, repositoryId: string): Promise<boolean> {
  const row = await connection
    .selectFrom('repository_totals')
    .select('commits_counted')
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst();
  return row?.commits_counted ?? false;
}

/** Marks a repository's commits to be counted from the beginning at the next count. */
export async function forgetCommitCounts(connection: Connection, repositoryId: string): Promise<void> {
  await connection
    .updateTable('repository_totals')
    .set({ commits_counted: false })
    .where('repository_id', '=', repositoryId)
    .execute();
}

/** Marks totals as changed by something other than counting changes, which sets that mark itself. */
export async function markTotalsChanged(connection: Connection, repositoryId: string): Promise<void> {
  await connection
    .updateTable('repository_totals')
    .set({ is_changed: true })
    .where('repository_id', '=', repositoryId)
    .execute();
}

/** Returns whether the totals changed since the last call, and resets the mark. */
export async function takeChanged(connection: Connection, repositoryId: string): Promise<boolean> {
  const changed = await connection
    .updateTable('repository_totals')
    .set({ is_changed: false })
    .where('repository_id', '=', repositoryId)
    .where('is_changed', '=', true)
    .returning('repository_id')
    .execute();
  return changed.length > 0;
}

/** Sums over the repositories that an account owns. */
export interface OwnedTotals {
  /** The time when its repositories were last listed; null: never. */
  listedAt: Date | null;
  counters: Counters;
  /** Kinds of contributions of which the sums may lack some. */
  uncollected: ContributionKind[];
}

/**
 * Returns the contributions to the repositories that an account owns, which are an organization's counters, as of one
 * moment.
 */
export async function sumOverOwned(
  connection: Connection,
  ownerId: string,
  { withPrivate }: { withPrivate: boolean },
): Promise<OwnedTotals> {
  const { rows } = await sql<Counters & { listed_at: Date | null; uncollected: string[] }>`
    select a.listed_at, ${uncollectedKinds(withPrivate ? 'all' : 'public')} as uncollected, sums.*
    from accounts a cross join lateral (
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
      where r.owner_id = a.id and (${withPrivate}::boolean or not r.is_private) and ${isPresentInSql('r')}) sums
    where a.id = ${ownerId}`.execute(connection);
  const [row] = rows;
  if (row === undefined) return { listedAt: null, counters: unknownCounters, uncollected: [...contributionKinds] };
  const { listed_at: listedAt, uncollected, ...counters } = row;
  return { listedAt, counters, uncollected: toKinds(uncollected) };
}
