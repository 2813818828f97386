import { requestListing } from '../../accounts/actor-store.ts';
import { hideUncovered, type Owners, recordInstalled } from '../../accounts/installations/coverage-store.ts';
import { collectJob } from '../../contributions/items/jobs.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import type { SyncContext } from '../context.ts';
import { recordVisibility } from '../lookups/record-state.ts';

/** Updates which repositories are installed, and hides those that no installation covers any more. */
export async function updateInstalledRepositories(
  context: SyncContext,
  transaction: Connection,
  owners: Owners,
): Promise<void> {
  const now = context.now();
  await recordInstalled(transaction, owners, now);
  await requestListings(context, transaction, await hideUncovered(transaction, owners, now));
}

/** Updates what depends on repositories that were hidden, and queues new listings of their owners. */
async function requestListings(
  context: SyncContext,
  transaction: Connection,
  ownerIds: readonly string[],
): Promise<void> {
  await recordVisibility(context, transaction, ownerIds);
  await listAgain(context, transaction, ownerIds);
}

/**
 * Queues new listings of owners that the transaction has locked, because another credential may still show their hidden
 * repositories.
 */
export async function listAgain(
  context: SyncContext,
  transaction: Connection,
  ownerIds: readonly string[],
): Promise<void> {
  for (const ownerId of ownerIds) await requestListing(transaction, ownerId, context.now());
  // After all accounts, because other transactions that have locked an account add its jobs.
  for (const ownerId of ownerIds) await addJob(transaction, collectJob(ownerId));
}
