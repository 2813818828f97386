import { type RawBuilder, sql } from 'kysely';
import { isShownInSql } from '../../../accounts/visibility/shown-store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import { pointRead } from '../../../database/reads/point-reads.ts';
import { isOfVersionInSql } from '../ranking/ranking-version-store.ts';

/** A board that everyone may see, with the facts by which pages about its repositories and people link to it. */
export interface OpenBoard {
  provider: string;
  owner: string;
  slug: string;
  name: string;
  description: string;
}

/** Finds the boards that count a public repository, those of its own owner first. */
export function findBoardsOfRepository(
  connection: Connection,
  { repositoryId, ownerId, limit }: { repositoryId: string; ownerId: string; limit: number },
): Promise<OpenBoard[]> {
  const among = sql`select board_id from board_repositories where repository_id = ${repositoryId}`;
  return findOpenBoards(connection, { among, ownerId, limit });
}

/** Finds the boards of a person, and those on which the person has points. */
export function findBoardsOfPerson(
  connection: Connection,
  { accountId, limit }: { accountId: string; limit: number },
): Promise<OpenBoard[]> {
  const among = sql`
    select id as board_id from boards where owner_id = ${accountId} union
    select k.board_id from board_ranks k join board_rankings n on n.board_id = k.board_id
    where k.account_id = ${accountId} and k.is_ranked and ${isOfVersionInSql('k', sql`n.version`)}`;
  return findOpenBoards(connection, { among, ownerId: accountId, limit });
}

/**
 * Finds boards, those of an owner first. It leaves out those with private repositories, of the members of a team, and of
 * hidden accounts.
 */
async function findOpenBoards(
  connection: Connection,
  { among, ownerId, limit }: { among: RawBuilder<unknown>; ownerId: string; limit: number },
): Promise<OpenBoard[]> {
  const { rows } = await sql<OpenBoard>`
    select ${pointRead} o.provider, o.name as owner, b.slug, b.name, b.description
    -- Each of these reads one row by its key, however few accounts and boards PostgreSQL expects.
    from (${among}) m cross join lateral (
        select owner_id, slug, place, name, description from boards
        where id = m.board_id and is_current and not is_private and not is_of_team offset 0) b
      cross join lateral (
        select provider, name from accounts o where id = b.owner_id and ${isShownInSql('o')} offset 0) o
    order by b.owner_id <> ${ownerId}, o.provider, lower(o.name), b.place limit ${limit}`.execute(connection);
  return rows;
}
