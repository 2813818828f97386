import type { RouteServices } from '../accounts/resolve.ts';
import { leaveReplica } from '../database/statement-scope.ts';
import type { Scope } from './contributor.ts';
import { findRanking, makeRanking } from './store.ts';

/**
 * Finds the newest listing of a scope's contributors, and makes one when the last one is outdated. A listing never
 * changes, so that its pages fit together however long a reader takes.
 */
export async function currentRanking(
  { connection, computations, now }: Pick<RouteServices, 'connection' | 'computations' | 'now'>,
  scope: Scope,
): Promise<number> {
  const known = await findRanking(connection, scope);
  if (known !== undefined) return known;
  // It is stored by the primary, and read from there.
  leaveReplica();
  const { accountId, repositoryId, includesPrivate } = scope;
  return computations.share(accountId, `ranking ${repositoryId} ${includesPrivate}`, () =>
    makeRanking(connection, scope, now()),
  );
}
