import type { RouteServices } from '../../accounts/resolve.ts';
import { inTransaction, isTooSlow } from '../../database/connections/transaction.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import { leaveReplica } from '../../database/reads/statement-scope.ts';
import { takeSharedErasureLock } from '../../database/schema/erasure.ts';
import { type PageStart, staleCursor } from '../../http/pipeline/pagination.ts';
import { type Place, publicList, type Ranking, type Scope, type Version } from './contributor.ts';
import { findLarge, type ListOfAccount, makeListJob } from './prepare-store.ts';
import { findParts, findRanking, hasVersion, makePart } from './ranking-store.ts';

/** The most people whom one transaction adds to a list, while events of the owner wait: some tenths of a second. */
const peopleAtOnce = 5000;

/**
 * Finds the newest version of the listing of a scope's contributors, and makes the listing for the first request. A
 * version never changes, so its pages fit together however long a reader takes.
 * @throws Error when making the list takes longer than a request may; a job makes it then.
 */
export async function currentRanking(
  { connection, computations, now }: Pick<RouteServices, 'connection' | 'computations' | 'now'>,
  scope: Scope,
): Promise<Ranking> {
  const known = await findRanking(connection, scope);
  if (known !== undefined) return known;
  // The primary stores the new list; a replica may not have it yet.
  leaveReplica();
  const { accountId, repositoryId, includesPrivate } = scope;
  return computations.share(accountId, `ranking ${repositoryId} ${includesPrivate}`, async () => {
    try {
      return await make({ connection, now }, scope, { onLong: () => addJob(connection, makeListJob(scope)) });
    } catch (error) {
      const tookTooLong = error instanceof Error && error.cause instanceof Error && isTooSlow(error.cause);
      // Without the job, each request would stop at the same time limit.
      if (tookTooLong) await addJob(connection, makeListJob(scope));
      throw error;
    }
  });
}

/** Runs the job that makes a list, which may take longer than a request. */
export async function makeList(
  services: Pick<RouteServices, 'connection' | 'now'>,
  { accountId, repositoryId, includesPrivate }: ListOfAccount,
): Promise<void> {
  await make(services, { accountId, repositoryId: repositoryId ?? null, includesPrivate });
}

/** Runs the job that makes the public list of a large owner, which may have one by now, or be erased. */
export async function prepareList(
  services: Pick<RouteServices, 'connection' | 'now'>,
  accountId: string,
): Promise<void> {
  const { connection } = services;
  const scope = publicList(accountId);
  if ((await findRanking(connection, scope)) !== undefined) return;
  if ((await findLarge(connection, [accountId])).length > 0) await make(services, scope);
}

/**
 * Makes a list, one part in each transaction. A run that is stopped leaves the other parts to the next one.
 * @param options.onLong called when the list has several parts, so that a request may end before the last one.
 */
async function make(
  { connection, now }: Pick<RouteServices, 'connection' | 'now'>,
  scope: Scope,
  { onLong = async () => {} }: { onLong?: () => Promise<void> } = {},
): Promise<Ranking> {
  const parts = await findParts(connection, scope, peopleAtOnce);
  if (parts.length > 0) await onLong();
  for (;;) {
    const ranking = await inTransaction(connection, async (transaction) => {
      await takeSharedErasureLock(transaction);
      return makePart(transaction, scope, parts, now());
    });
    if (ranking !== undefined) return ranking;
  }
}

/**
 * Returns the version of a listing that a page belongs to, and the place where the page starts; none for the first
 * page.
 * @throws AppError `invalid_input` for a cursor into another list, or into a version that is not stored any more.
 */
export async function findStart(
  services: Parameters<typeof currentRanking>[0],
  start: PageStart,
  scope: Scope,
): Promise<{ version: Version | Ranking; place?: Place }> {
  const cursor = start.after ?? start.before;
  if (cursor === undefined) return { version: await currentRanking(services, scope) };
  const [id, version, contributions, nameKey, accountId] = cursor;
  const isComplete =
    typeof id === 'number' &&
    typeof version === 'number' &&
    typeof contributions === 'number' &&
    typeof nameKey === 'string' &&
    typeof accountId === 'string';
  // An incomplete cursor comes from an earlier release.
  if (isComplete && (await hasVersion(services.connection, { id, version }, scope)))
    return { version: { id, version }, place: { contributions, nameKey, accountId } };
  throw staleCursor(start.after === undefined ? 'before' : 'after');
}
