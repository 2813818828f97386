import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import type { Progress, Wait } from '../http/envelope.ts';
import { isPresentInSql } from '../repositories/present-store.ts';
import type { CollectedScope } from './collection-store.ts';
import { contributionKinds } from './contribution.ts';
import { uncollectedColumn } from './kinds.ts';

/**
 * Finds how far collecting the repositories of a response is, and the reason why it is not at its end.
 * @param missing the names of its numbers that are incomplete.
 * @returns undefined where nothing is missing.
 */
export async function findProgress(
  connection: Connection,
  scope: CollectedScope,
  missing: readonly string[],
): Promise<Progress | undefined> {
  if (missing.length === 0) return undefined;
  return { repositories: await countRepositories(connection, scope), ...(await findWait(connection, scope)) };
}

/** Finds the reason why the repositories of a response are not completely read. */
async function findWait(_connection: Connection, _scope: CollectedScope): Promise<Wait> {
  return { reason: 'collecting' };
}

const uncollected = sql.join(
  contributionKinds.map((kind) => sql.ref(`s.${uncollectedColumn(kind)}`)),
  sql` + `,
);

/** Counts the repositories of a scope, and those that are completely read. */
async function countRepositories(
  connection: Connection,
  { accountId, repositoryId, withPrivate }: CollectedScope,
): Promise<Progress['repositories']> {
  const { rows } = await sql<Progress['repositories']>`
    select count(*)::integer as total, (count(*) filter (where ${uncollected} = 0))::integer as complete
    from summed_repositories s join repositories r on r.id = s.repository_id
    where s.owner_id = ${accountId}::uuid and (${repositoryId}::uuid is null or r.id = ${repositoryId}::uuid)
      and (${withPrivate}::boolean or not r.is_private) and ${isPresentInSql('r')}`.execute(connection);
  return rows[0] ?? { total: 0, complete: 0 };
}
