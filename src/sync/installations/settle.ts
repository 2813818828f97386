import { wantListing } from '../../accounts/mention-store.ts';
import { collectJob } from '../../contributions/jobs.ts';
import type { Connection } from '../../database/connection.ts';
import { addJob } from '../../database/queue.ts';
import { hideShownBy, hideUncovered, type Owners, recordInstalled } from '../../installations/coverage-store.ts';
import { reconcileJob } from '../../installations/jobs.ts';
import type { Change } from '../../providers/provider.ts';
import type { SyncContext } from '../context.ts';
import { recordVisibility } from '../record-state.ts';

/** The delay, in ms, that lets a burst of changes be handled once. */
const restMs = 1000;

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

/**
 * Follows a delivery about an installation: hides the repositories of one that ended, and queues a request for the
 * present installations.
 */
export async function followInstallation(
  context: SyncContext,
  transaction: Connection,
  provider: string,
  { credentialName, isOver }: Extract<Change, { what: 'installation' }>,
): Promise<void> {
  const now = context.now();
  if (isOver)
    await requestListings(context, transaction, await hideShownBy(transaction, { provider, credentialName }, now));
  const runAt = new Date(now.getTime() + restMs);
  await addJob(transaction, { ...reconcileJob, runAt, keepsRunAt: true });
}

/** Queues new listings, because another credential may still show the hidden repositories. */
export async function requestListings(
  context: SyncContext,
  transaction: Connection,
  ownerIds: readonly string[],
): Promise<void> {
  for (const ownerId of ownerIds) {
    await recordVisibility(context, transaction, ownerId);
    await wantListing(transaction, ownerId, context.now());
  }
  // After all accounts, because other transactions that have locked an account add its jobs.
  for (const ownerId of ownerIds) await addJob(transaction, collectJob(ownerId));
}
