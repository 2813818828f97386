import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';

/** Repositories whose commits have to be counted or read again. */

/** Finds repositories whose commits were all read before and have to be counted again from the beginning. */
export async function findUncounted(
  connection: Connection,
  limit: number,
): Promise<{ id: string; ownerId: string; name: string }[]> {
  const { rows } = await sql<{ id: string; ownerId: string; name: string }>`
    with uncounted as (select repository_id from repository_totals where not commits_counted)
    select r.id, r.owner_id as "ownerId", r.name
    from uncounted t
    join streams s on s.repository_id = t.repository_id and s.name = 'commits'
    join repositories r on r.id = t.repository_id
    where s.completed_at is not null and r.deleted_at is null and not r.is_fork
      and r.default_branch <> ''
    order by random() limit ${limit}`.execute(connection);
  return rows;
}

/**
 * Finds random repositories whose commits were stored by a release that did not read subjects and marks of assistance;
 * the oldest commit of each shows it. Leaves out repositories for which a full scan is requested already.
 */
export async function findUnmarked(
  connection: Connection,
  limit: number,
): Promise<{ id: string; ownerId: string; name: string }[]> {
  const { rows } = await sql<{ id: string; ownerId: string; name: string }>`
    with candidates as materialized (
      -- At random, because those at the front may have nothing to mark.
      select repository_id from streams
      where name = 'commits' and completed_at is not null
        and coalesce(full_scan_at, '-infinity') < (select max(since) from changes_kept)
        and (full_scan_wanted_at is null or full_scan_wanted_at < full_scan_at)
      order by random() limit ${limit * candidatesPerUnmarked}
    )
    select r.id, r.owner_id as "ownerId", r.name from candidates c
    -- The offset keeps the planner, which knows no number of candidates, from reading all repositories.
    cross join lateral (select * from repositories where id = c.repository_id offset 0) r
    where r.deleted_at is null and not r.is_fork`.execute(connection);
  const unmarked: typeof rows = [];
  for (const candidate of rows) {
    if (unmarked.length === limit) break;
    if (await isUnmarked(connection, candidate.id)) unmarked.push(candidate);
  }
  return unmarked;
}

/** The number of candidates that are checked for each repository to find, because many have nothing to mark. */
const candidatesPerUnmarked = 4;

async function isUnmarked(connection: Connection, repositoryId: string): Promise<boolean> {
  const { rows } = await sql<{ assisted: boolean | null }>`
    select assisted from commits where repository_id = ${repositoryId} order by authored_at limit 1`.execute(
    connection,
  );
  return rows[0]?.assisted === null;
}

/** Has the recount of a repository begin again, if one has begun, because commits are stored or removed meanwhile. */
export async function restartRecount(transaction: Connection, repositoryId: string): Promise<void> {
  await sql`
    update repository_totals set recounted_until = null, recounted_commits = 0, counting_day = null
    where repository_id = ${repositoryId} and (recounted_until is not null or counting_day is not null)`.execute(
    transaction,
  );
}
