import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { pointRead } from '../../database/reads/point-reads.ts';
import { isPublicInSql } from './present-store.ts';
import { type Repository, toRepository } from './store.ts';

/** The parts of a repository that lists of pages show. */
export type ShownRepository = Pick<
  Repository,
  'provider' | 'name' | 'description' | 'language' | 'license' | 'isFork' | 'stars'
>;

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
