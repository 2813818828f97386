import { type RawBuilder, sql } from 'kysely';
import { isShownInSql } from '../../accounts/shown-store.ts';
import type { Connection } from '../../database/connection.ts';
import { pointRead } from '../../database/point-reads.ts';
import { isPresentRankInSql } from '../ranking/version-store.ts';

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
  { repositoryId, ownerId }: { repositoryId: string; ownerId: string },
  limit: number,
): Promise<OpenBoard[]> {
  const counting = sql`select board_id from board_repositories where repository_id = ${repositoryId}`;
  return findOpenBoards(connection, { among: counting, ownerId }, limit);
}

/** Finds the boards of a person, and those on which the person has points. */
export function findBoardsOfPerson(connection: Connection, accountId: string, limit: number): Promise<OpenBoard[]> {
  const ranking = sql`
    select id from boards where owner_id = ${accountId} union
    select board_id from board_ranks k where account_id = ${accountId} and is_ranked and ${isPresentRankInSql('k')}`;
  return findOpenBoards(connection, { among: ranking, ownerId: accountId }, limit);
}

/** Leaves out boards with private repositories, of the members of a team, and of hidden accounts. */
async function findOpenBoards(
  connection: Connection,
  { among, ownerId }: { among: RawBuilder<unknown>; ownerId: string },
  limit: number,
): Promise<OpenBoard[]> {
  const { rows } = await sql<OpenBoard>`
    select ${pointRead} o.provider, o.name as owner, b.slug, b.definition ->> 'name' as name,
      coalesce(b.definition ->> 'description', '') as description
    from boards b join accounts o on o.id = b.owner_id
    where b.id in (${among}) and b.is_current and not b.is_private and ${isShownInSql('o')}
      and b.definition #>> '{people,only_members_of}' is null
    order by b.owner_id <> ${ownerId}, o.provider, lower(o.name), b.place limit ${limit}`.execute(connection);
  return rows;
}
