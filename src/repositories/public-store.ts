import type { Connection } from '../database/connection.ts';
import { pointRead } from '../database/point-reads.ts';
import { isPresentInSql } from './shown-store.ts';
import { type Repository, toRepository } from './store.ts';

/** Finds public repositories of an account: own ones before forks, the most starred first. */
export async function findPublicRepositories(
  connection: Connection,
  ownerId: string,
  limit: number,
): Promise<Repository[]> {
  const rows = await publicOnes(connection, ownerId)
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
  const row = await publicOnes(connection, ownerId)
    .where((is) => is(is.fn('lower', ['name']), '=', name.toLowerCase()))
    .orderBy('named_at', 'desc')
    .executeTakeFirst();
  return row && toRepository(row);
}

function publicOnes(connection: Connection, ownerId: string) {
  return connection
    .selectFrom('repositories')
    .modifyFront(pointRead)
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('is_private', '=', false)
    .where(isPresentInSql('repositories'));
}
