import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';

/** When an installed repository is asked next about what no delivery tells. */
export interface Poll {
  intervalMs: number;
  /** Of what was seen last. */
  digest: string;
}

/** Installed repositories of providers that can be asked whose turn it is, those that waited longest first. */
export async function findDuePolls(
  connection: Connection,
  providers: readonly string[],
  now: Date,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id from repositories r left join repository_polls p on p.repository_id = r.id
    where r.installed_at is not null and r.gone_at is null and (p.next_at is null or p.next_at <= ${now})
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

/** Makes no poll wait longer than its interval, whatever a host said. */
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

/** Ids of all installed repositories, in an order that stays. */
export async function findAllInstalled(connection: Connection): Promise<string[]> {
  const rows = await connection
    .selectFrom('repositories')
    .select('id')
    .where('installed_at', 'is not', null)
    .where('gone_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

export async function countInstalled(connection: Connection): Promise<number> {
  const { count } = await connection
    .selectFrom('repositories')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('installed_at', 'is not', null)
    .where('gone_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}
