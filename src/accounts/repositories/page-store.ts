import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { pointRead } from '../../database/reads/point-reads.ts';
import { isPresentInSql, isPublicInSql } from './present-store.ts';
import { type Repository, toRepository } from './store.ts';

/** The parts of a repository that lists of pages show. */
export type ShownRepository = Pick<
  Repository,
  'provider' | 'name' | 'description' | 'language' | 'license' | 'isFork' | 'stars'
>;

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

/** Finds one public repository of an account by its present name; the letter case does not matter. */
export async function findPublicRepository(
  connection: Connection,
  ownerId: string,
  name: string,
): Promise<Repository | undefined> {
  const row = await connection
    .selectFrom('repositories')
    .modifyFront(pointRead)
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where(isPublicInSql('repositories'))
    .where((is) => is(is.fn('lower', ['name']), '=', name.toLowerCase()))
    .orderBy('named_at', 'desc')
    .executeTakeFirst();
  return row && toRepository(row);
}

/** Finds up to `limit` public repositories of an account: forks last, otherwise the most starred first. */
export async function findPublicRepositories(
  connection: Connection,
  { ownerId, limit }: { ownerId: string; limit: number },
): Promise<ShownRepository[]> {
  const { rows } = await sql<ShownRepository>`
    select ${pointRead} provider, name, description, language, license, is_fork as "isFork", stars from repositories
    where owner_id = ${ownerId} and ${isPublicInSql('repositories')}
    order by is_fork, stars desc, id limit ${limit}`.execute(connection);
  return rows;
}
