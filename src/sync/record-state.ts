import { findById } from '../accounts/store.ts';
import { recordContributorsOfChanged } from '../contributions/changed-store.ts';
import { recordCollected, recordRepositoriesChanged } from '../contributions/collection-store.ts';
import { saveCounters } from '../contributions/counter-store.ts';
import { completeCounters } from '../contributions/counters.ts';
import { updateTotalsJob } from '../contributions/jobs.ts';
import { recordPrivateCounters } from '../contributions/private-counters.ts';
import { sumOverOwned } from '../contributions/total-store.ts';
import type { Connection } from '../database/connection.ts';
import { addJob } from '../database/queue.ts';
import type { SyncContext } from './context.ts';
import { recordStoredTotals } from './stored-totals.ts';
import { updateSome } from './update-totals.ts';

/** Stores the present state of an account's data: the kinds that are complete, and the counters that are summed. */
export async function recordState(context: SyncContext, transaction: Connection, accountId: string): Promise<void> {
  const account = await findById(transaction, accountId);
  if (account === undefined) return;
  await recordCollected(transaction, accountId);
  if (account.type === 'organization') {
    const { listedAt, counters, uncollected } = await sumOverOwned(transaction, accountId, { withPrivate: false });
    if (listedAt === null) return;
    await saveCounters(transaction, accountId, {
      ...completeCounters(counters, uncollected),
      fetchedAt: context.now(),
    });
  } else {
    await recordStoredTotals(context, transaction, account);
  }
  await recordPrivateCounters(transaction, account);
}

/**
 * The most people whose numbers are updated in the transaction that hides or shows a repository; the others follow
 * right after.
 */
const maxPeopleAtOnce = 50;

/**
 * Updates everything that depends on the repositories of an account, after the visibility of any of them has changed.
 */
export async function recordVisibility(context: SyncContext, transaction: Connection, ownerId: string): Promise<void> {
  await recordRepositoriesChanged(transaction, ownerId);
  await recordState(context, transaction, ownerId);
  await recordContributorsOfChanged(transaction, { limit: maxPeopleAtOnce, ownerId });
  await updateSome(context, transaction, { limit: maxPeopleAtOnce, ownerId });
  // At the end, because all transactions that store contributions wait for the one that has added this job.
  await addJob(transaction, updateTotalsJob);
}
