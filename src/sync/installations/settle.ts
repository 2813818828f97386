import { wantListing } from '../../accounts/hint-store.ts';
import { collectJob } from '../../contributions/jobs.ts';
import type { Connection } from '../../database/connection.ts';
import { addJob } from '../../database/queue.ts';
import { hideShownBy, hideUncovered, type Owners, recordInstalled } from '../../installations/coverage-store.ts';
import { reconcileJob } from '../../installations/jobs.ts';
import type { Change } from '../../providers/provider.ts';
import type { SyncContext } from '../context.ts';
import { recordVisibility } from '../record-state.ts';

/** A burst of changes is looked at once. */
const restMs = 1000;

/** Lets repositories follow other installations: which are installed, and what must not be shown any more. */
export async function settleInstallations(
  context: SyncContext,
  transaction: Connection,
  owners: Owners,
): Promise<void> {
  const now = context.now();
  await recordInstalled(transaction, owners, now);
  await lookAgain(context, transaction, await hideUncovered(transaction, owners, now));
}

/** Follows what a delivery tells of an installation: what it is over with is hidden, and the provider is asked. */
export async function followInstallation(
  context: SyncContext,
  transaction: Connection,
  provider: string,
  { access, isOver }: Extract<Change, { what: 'installation' }>,
): Promise<void> {
  const now = context.now();
  if (isOver) await lookAgain(context, transaction, await hideShownBy(transaction, { provider, access }, now));
  const runAt = new Date(now.getTime() + restMs);
  await addJob(transaction, { ...reconcileJob, runAt, keepsRunAt: true });
}

/** Another credential may still show what was hidden. */
async function lookAgain(context: SyncContext, transaction: Connection, ownerIds: readonly string[]): Promise<void> {
  for (const ownerId of ownerIds) {
    await recordVisibility(context, transaction, ownerId);
    await wantListing(transaction, ownerId, context.now());
    await addJob(transaction, collectJob(ownerId));
  }
}
