import { sql } from 'kysely';
import { isShownInSql } from '../../accounts/shown-store.ts';
import type { Connection } from '../../database/connection.ts';
import { readDefinition } from '../definition.ts';

/** A board that counts a repository. */
export interface BoardOfRepository {
  provider: string;
  owner: string;
  slug: string;
  name: string;
  description: string;
}

/**
 * Finds the boards that count a public repository and that everyone may see, those of its own owner first: none with private
 * repositories, of the members of a team, or of a hidden account.
 */
export async function findBoardsOfRepository(
  connection: Connection,
  { repositoryId, ownerId }: { repositoryId: string; ownerId: string },
  limit: number,
): Promise<BoardOfRepository[]> {
  const { rows } = await sql<{ provider: string; owner: string; slug: string; definition: object }>`
    select o.provider, o.name as owner, b.slug, b.definition
    from board_repositories m join boards b on b.id = m.board_id join accounts o on o.id = b.owner_id
    where m.repository_id = ${repositoryId} and b.is_current and not b.is_private and ${isShownInSql('o')}
      and b.definition #>> '{people,only_members_of}' is null
    order by b.owner_id <> ${ownerId}, o.provider, lower(o.name), b.place limit ${limit}`.execute(connection);
  return rows.map(({ provider, owner, slug, definition }) => {
    const { name, description } = readDefinition(definition);
    return { provider, owner, slug, name, description };
  });
}
