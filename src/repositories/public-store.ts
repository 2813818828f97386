import type { Connection } from '../database/connection.ts';
import { pointRead } from '../database/point-reads.ts';
import { isPresentInSql } from './shown-store.ts';
import { type Repository, toRepository } from './store.ts';

/** Finds up to `limit` public repositories of an account: forks last, otherwise the most starred first. */
export async function findPublicRepositories(
  connection: Connection,
  ownerId: string,
  limit: number,
): Promise<Repository[]> {
  const rows = await selectPublic(connection, ownerId)
    .orderBy('is_fork')
    .orderBy('stars', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(toRepository);
}

/** Finds one public repository of an account by its present name; the letter case does not matter. */
export async function findPublicRepository(
  connection: Connection,
  ownerId: string,
  name: string,
): Promise<Repository | undefined> {
  const row = await selectPublic(connection, ownerId)
    .where((is) => is(is.fn('lower', ['name']), '=', name.toLowerCase()))
    .orderBy('named_at', 'desc')
    .executeTakeFirst();
  return row && toRepository(row);
}

function selectPublic(connection: Connection, ownerId: string) {
  return connection
    .selectFrom('repositories')
    .modifyFront(pointRead)
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('is_private', '=', false)
    .where(isPresentInSql('repositories'));
}
