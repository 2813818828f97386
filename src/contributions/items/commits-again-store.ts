import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import { collectRepositoryJob } from './jobs.ts';

/** Repositories whose commits have to be counted or read again. */

/** The most repositories whose count one transaction queues. */
const queuedAtOnce = 100;

/**
 * Has all commits of repositories counted again. Queues the counts of the first ones at once, and `clean_up` those of the
 * others. Must run in a transaction.
 */
export async function countAgain(transaction: Connection, repositoryIds: readonly string[]): Promise<void> {
  await sql`select mark_commits_uncounted(${[...repositoryIds]}::uuid[])`.execute(transaction);
  const { rows } = await sql<{ accountId: string; repository: string }>`
    select owner_id as "accountId", name as repository from repositories
    where id = any(${[...repositoryIds]}::uuid[]) and deleted_at is null and not is_fork
    order by id limit ${queuedAtOnce}`.execute(transaction);
  for (const row of rows) await addJob(transaction, collectRepositoryJob({ ...row, withPrivate: true }));
}

/** The repositories that one statement looks at. */
const lookedAtOnce = 1000;

/**
 * Finds repositories that are counted, except the commits of one person: an account was found for an address, and none of
 * its commits is in the totals. None are expected. Reads all repositories, some in each statement.
 */
export async function findLostCounts(connection: Connection, limit: number): Promise<string[]> {
  const lost: string[] = [];
  for (let after: string | null = null; ; ) {
    const ids: string[] = await findNext(connection, after);
    for (const suspected of await findSuspected(connection, ids)) {
      if (await namesCounted(connection, suspected)) lost.push(suspected.id);
      if (lost.length === limit) return lost;
    }
    after = ids.at(-1) ?? null;
    if (after === null) return lost;
  }
}

async function findNext(connection: Connection, after: string | null): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from repositories
    where deleted_at is null and not is_fork and (${after}::uuid is null or id > ${after}::uuid)
    order by id limit ${lookedAtOnce}`.execute(connection);
  return rows.map(({ id }) => id);
}

interface Suspected {
  id: string;
  /** Addresses of accounts without counted commits. Addresses stay after a push has removed their commits, so it may be right. */
  addresses: number[];
}

async function findSuspected(connection: Connection, ids: readonly string[]): Promise<Suspected[]> {
  const { rows } = await sql<Suspected>`
    with used as materialized (
      select repository_id, identity_id from repository_identities
      where repository_id = any(${ids}::uuid[]) and is_counted
    ), people as materialized (
      select u.repository_id, u.identity_id, i.account_id from used u join identities i on i.id = u.identity_id
      where i.account_id is not null
    ), counted as (
      select repository_id, account_id from contributor_totals where repository_id = any(${ids}::uuid[]) and commits > 0
    )
    select p.repository_id as id, array_agg(p.identity_id) as addresses
    from people p left join counted c on c.repository_id = p.repository_id and c.account_id = p.account_id
    where c.account_id is null group by p.repository_id`.execute(connection);
  return rows;
}

/** Returns whether counted commits of a repository name one of some addresses. */
async function namesCounted(connection: Connection, { id, addresses }: Suspected): Promise<boolean> {
  const { rows } = await sql`
    select 1 from commits c
    where c.repository_id = ${id} and c.identity_ids && ${addresses}::integer[]
      and exists (select 1 from repository_totals t where t.repository_id = ${id} and t.commits_counted)
      and not exists (select 1 from uncounted_commits u where u.repository_id = ${id} and u.oid = c.oid)
    limit 1`.execute(connection);
  return rows.length > 0;
}

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
    select assisted from commits where repository_id = ${repositoryId}
    order by authored_at limit 1`.execute(connection);
  return rows[0]?.assisted === null;
}

/** Has the recount of a repository begin again, if one has begun, because commits are stored or removed meanwhile. */
export async function restartRecount(transaction: Connection, repositoryId: string): Promise<void> {
  await sql`
    update repository_totals set recounted_until = null, recounted_commits = 0, counting_day = null
    where repository_id = ${repositoryId}
      and (recounted_until is not null or counting_day is not null)`.execute(transaction);
}
