import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { addPendingForNewCommits } from '../items/detail-store.ts';
import { markAddressesCounted } from '../items/identity-store.ts';
import { holdRepository } from '../items/write-store.ts';
import { uncountLanguages } from '../languages/store.ts';
import { type Days, isMomentIn } from './expected-totals-store.ts';

/**
 * Totals of a repository, per contributor, per day and overall. `write-store.ts` counts changes of issues, pull requests,
 * reviews, discussions and comments; this module counts commits once they are stored and their authors known.
 */

/**
 * Counts stored commits that are not counted yet, and notes their pending details. A commit counts once per person, also
 * when it names several of that person's addresses. Must run in a transaction.
 * @param limit the most commits; null: all.
 * @returns how many were counted.
 */
export async function countNewCommits(
  connection: Connection,
  repositoryId: string,
  limit: number | null = null,
): Promise<number> {
  await holdRepository(connection, repositoryId);
  await markAddressesCounted(connection, repositoryId);
  await addPendingForNewCommits(connection, repositoryId, limit);
  const isAmongFirst =
    limit === null
      ? sql`true`
      : sql`oid = any(array(
          select oid from uncounted_commits where repository_id = ${repositoryId} order by oid limit ${limit}))`;
  const { rows } = await sql<{ counted: number }>`
    with uncounted as (
      delete from uncounted_commits where repository_id = ${repositoryId} and ${isAmongFirst}
      returning oid
    ), found as (
      select c.oid, (c.authored_at at time zone 'UTC')::date as day, c.identity_ids
      from commits c join uncounted u on u.oid = c.oid where c.repository_id = ${repositoryId}
    ), changed as materialized (${countCommits(repositoryId, 1)})
    select (select count(*) from uncounted)::integer as counted from changed`.execute(connection);
  return rows[0]?.counted ?? 0;
}

/**
 * Counts the stored commits of some days of a repository, of which none is counted, except those that wait to be counted.
 * Must run in a transaction.
 */
export async function countStoredCommits(transaction: Connection, repositoryId: string, days: Days): Promise<void> {
  if (!(await areCommitsCounted(transaction, repositoryId))) return;
  await sql`
    with found as (
      select c.oid, (c.authored_at at time zone 'UTC')::date as day, c.identity_ids
      from commits c
      where c.repository_id = ${repositoryId} and ${isMomentIn(days, sql`c.authored_at`)} and not exists (
        select from uncounted_commits u where u.repository_id = c.repository_id and u.oid = c.oid)
    )
    ${countCommits(repositoryId, 1)}`.execute(transaction);
}

/**
 * Subtracts commits that are about to be removed from the totals. Must run in a transaction.
 * @param oids hexadecimal.
 */
export async function uncountCommits(
  connection: Connection,
  repositoryId: string,
  oids: readonly string[],
): Promise<void> {
  await holdRepository(connection, repositoryId);
  await uncountLanguages(connection, repositoryId, oids);
  await sql`
    with found as (
      select c.oid, (c.authored_at at time zone 'UTC')::date as day, c.identity_ids
      from commits c
      where c.repository_id = ${repositoryId} and c.oid = any(${oids.map((oid) => `\\x${oid}`)}::bytea[])
        and not exists (
          select from uncounted_commits u where u.repository_id = c.repository_id and u.oid = c.oid)
    )
    ${countCommits(repositoryId, -1)}`.execute(connection);
}

/**
 * Adds the commits in `found` to the totals, or subtracts them: once for each of their people and once for the repository.
 * The result is a text, because Citus stores no part of a statement without a type.
 */
function countCommits(repositoryId: string, sign: 1 | -1): RawBuilder<unknown> {
  return sql`
    select count_changes(
      array_agg(${repositoryId}::uuid), array_agg(account_id), array_agg(day), array_agg('commits'::text), array_agg(added),
      array_agg(whole))::text
    from (
      select account_id, day, ${sign}::integer * count(*) as added, 0::bigint as whole
      from (
        select distinct f.oid, i.account_id, f.day
        from found f cross join unnest(f.identity_ids) as u (identity_id) join identities i on i.id = u.identity_id
        where i.account_id is not null) authored
      group by account_id, day
      union all
      select null, day, 0, ${sign}::integer * count(*) from found group by day) changes`;
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

/** Marks the commits of repositories to be counted from the beginning at the next count. */
export async function markCommitsUncounted(connection: Connection, repositoryIds: readonly string[]): Promise<void> {
  await sql`select mark_commits_uncounted(${[...repositoryIds]}::uuid[])`.execute(connection);
}

/**
 * Marks totals as changed, also for a check that is counting a day. Changes of counts need no call, because the functions
 * that count set the marks themselves.
 */
export async function markTotalsChanged(connection: Connection, repositoryId: string): Promise<void> {
  await connection
    .updateTable('repository_totals')
    .set({ is_changed: true, counting_day: null })
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
