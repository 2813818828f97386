import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';

/** The polls of an installed repository for changes that no delivery reports. */
export interface Poll {
  intervalMs: number;
  /** The digest of the data that the last poll fetched. */
  digest: string;
  /** The time of the last change that a poll found or the provider reported; null: none is known. */
  changedAt: Date | null;
}

/**
 * Finds up to `limit` installed repositories of these providers that are due for a poll. Repositories that were never
 * polled come first, then the longest due.
 */
export async function findDuePolls(
  connection: Connection,
  providers: readonly string[],
  now: Date,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id from repositories r left join repository_polls p on p.repository_id = r.id
    where r.installed_at is not null and r.deleted_at is null and (p.next_at is null or p.next_at <= ${now})
      and r.provider = any(${[...providers]})
    order by p.next_at nulls first, r.id limit ${limit}`.execute(connection);
  return rows.map(({ id }) => id);
}

export async function findPoll(connection: Connection, repositoryId: string): Promise<Poll | undefined> {
  const row = await connection
    .selectFrom('repository_polls')
    .select(['interval_s', 'digest', 'changed_at'])
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst();
  return row && { intervalMs: row.interval_s * 1000, digest: row.digest, changedAt: row.changed_at };
}

/** Returns the time at which the provider last reported a change of a repository, by a delivery or a listing. */
export async function findReportedChange(connection: Connection, repositoryId: string): Promise<Date | null> {
  const { at } = await connection
    .selectFrom('streams')
    .select((select) => select.fn.max('invalidated_at').as('at'))
    .where('repository_id', '=', repositoryId)
    .executeTakeFirstOrThrow();
  return at;
}

/**
 * Brings forward polls that are further away than their interval, because a host requested a longer wait. Reads the polls
 * of up to `limit` repositories.
 * @param after the repository after which it begins; null: from the first one.
 * @returns the last of them; null when there are no more.
 */
export async function boundPolls(
  connection: Connection,
  now: Date,
  { after, limit }: { after: string | null; limit: number },
): Promise<string | null> {
  const end = sql`${now}::timestamptz + p.interval_s * interval '1 second'`;
  const { rows } = await sql<{ id: string }>`
    with page as (
      select p.repository_id, p.next_at > ${end} as is_late from repository_polls p
      where ${after}::uuid is null or p.repository_id > ${after}::uuid
      order by p.repository_id limit ${limit}
    ), bounded as (
      update repository_polls p set next_at = ${end} from page s
      where p.repository_id = s.repository_id and s.is_late and p.next_at > ${end}
    )
    select repository_id as id from page order by repository_id offset ${limit - 1}`.execute(connection);
  return rows[0]?.id ?? null;
}

/** Stores a poll of a repository, unless the repository has been erased since. */
export async function savePoll(
  connection: Connection,
  repositoryId: string,
  { intervalMs, digest, changedAt, nextAt }: Poll & { nextAt: Date },
): Promise<void> {
  // The lock waits for an erasure that has not ended; without it, the row would refer to an erased repository.
  await sql`
    with stored as materialized (select id from repositories where id = ${repositoryId} for key share)
    insert into repository_polls (repository_id, interval_s, digest, changed_at, next_at)
    select id, ${Math.ceil(intervalMs / 1000)}, ${digest}, ${changedAt}::timestamptz, ${nextAt}::timestamptz from stored
    on conflict (repository_id) do update
    set interval_s = excluded.interval_s, digest = excluded.digest, changed_at = excluded.changed_at,
      next_at = excluded.next_at`.execute(connection);
}

/** Returns the ids of all installed repositories, in a stable order. */
export async function findAllInstalled(connection: Connection): Promise<string[]> {
  const rows = await connection
    .selectFrom('repositories')
    .select('id')
    .where('installed_at', 'is not', null)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Shortens the interval of a repository's polls after a change. The next poll becomes earlier, never later. */
export async function hastenPoll(
  connection: Connection,
  repositoryId: string,
  { intervalMs, changedAt, nextAt }: Pick<Poll, 'intervalMs' | 'changedAt'> & { nextAt: Date },
): Promise<void> {
  await sql`
    update repository_polls
    set interval_s = ${Math.ceil(intervalMs / 1000)}, changed_at = ${changedAt}, next_at = least(next_at, ${nextAt})
    where repository_id = ${repositoryId}`.execute(connection);
}
