import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';

/** The polls of an installed repository for changes that no delivery reports. */
export interface Poll {
  intervalMs: number;
  /** Digest of the data seen last. */
  digest: string;
}

/**
 * Finds installed repositories that are due for a poll, of providers that can be polled; those that waited longest come
 * first.
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
    .select(['interval_s', 'digest'])
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst();
  return row && { intervalMs: row.interval_s * 1000, digest: row.digest };
}

/** Limits the wait for every poll to its interval, regardless of a host's instructions. */
export async function boundPolls(connection: Connection, now: Date): Promise<void> {
  await sql`
    update repository_polls set next_at = ${now}::timestamptz + interval_s * interval '1 second'
    where next_at > ${now}::timestamptz + interval_s * interval '1 second'`.execute(connection);
}

export async function savePoll(
  connection: Connection,
  repositoryId: string,
  { intervalMs, digest, nextAt }: Poll & { nextAt: Date },
): Promise<void> {
  const row = { interval_s: Math.round(intervalMs / 1000), digest, next_at: nextAt };
  await connection
    .insertInto('repository_polls')
    .values({ repository_id: repositoryId, ...row })
    .onConflict((conflict) => conflict.column('repository_id').doUpdateSet(row))
    .execute();
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

export async function countInstalled(connection: Connection): Promise<number> {
  const { count } = await connection
    .selectFrom('repositories')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('installed_at', 'is not', null)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}
