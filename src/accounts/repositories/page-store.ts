import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { isPresentInSql } from './present-store.ts';
import { type Repository, toRepository } from './store.ts';

/** The position where a page begins: `created_at` in microseconds since 1970, and the id. */
export type RepositoryPlace = readonly [createdAtUs: string, id: string];

/**
 * Finds a page of the repositories of an account, for its owner; the one that was stored last comes first. Includes
 * private ones, and public ones that their provider no longer shows, but not private ones that it no longer shows.
 */
export async function findRepositoryPage(
  connection: Connection,
  ownerId: string,
  page: { limit: number; after?: RepositoryPlace | undefined; before?: RepositoryPlace | undefined },
): Promise<{ repository: Repository; place: RepositoryPlace }[]> {
  const createdAtUs = sql<string>`(extract(epoch from created_at) * 1000000)::bigint::text`;
  let query = connection
    .selectFrom('repositories')
    .selectAll()
    .select(createdAtUs.as('created_at_us'))
    .where('owner_id', '=', ownerId)
    .where((is) => is.or([is('is_private', '=', false), isPresentInSql('repositories')]))
    .limit(page.limit);
  const beside = (operator: '<' | '>', [us, id]: RepositoryPlace) =>
    sql<boolean>`(created_at, id) ${sql.raw(operator)}
      ('epoch'::timestamptz + ${us}::bigint * interval '1 microsecond', ${id}::uuid)`;
  if (page.after !== undefined) query = query.where(beside('<', page.after));
  if (page.before !== undefined) query = query.where(beside('>', page.before));
  const direction = page.before === undefined ? 'desc' : 'asc';
  const rows = await query.orderBy('created_at', direction).orderBy('id', direction).execute();
  const found = rows.map((row) => ({
    repository: toRepository(row),
    place: [row.created_at_us, row.id] as const,
  }));
  return page.before === undefined ? found : found.toReversed();
}
