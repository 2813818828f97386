import { lockAccount } from '../accounts/store.ts';
import { requestBoardsNaming } from '../boards/ranking/request-store.ts';
import { recordContributorsOfChanged } from '../contributions/changed-store.ts';
import { saveCounters } from '../contributions/counter-store.ts';
import { completeCounters } from '../contributions/counters.ts';
import { updateTotalsJob } from '../contributions/jobs.ts';
import { foldSums, sumOverOwned } from '../contributions/owner-sum-store.ts';
import { recordPrivateCounters } from '../contributions/private-counters.ts';
import { announce } from '../database/announcements.ts';
import type { Connection } from '../database/connection.ts';
import { addJob } from '../database/queue.ts';
import type { SyncContext } from './context.ts';
import { recordStoredTotals } from './stored-totals.ts';
import { updateSome } from './update-totals.ts';

/** Stores the counters of an account that are summed from its data, and announces that to all nodes. */
export async function recordState(context: SyncContext, transaction: Connection, accountId: string): Promise<void> {
  // Orders the writers of the counters, so that the last one has read the newest sums.
  const account = await lockAccount(transaction, accountId);
  if (account === undefined) return;
  await foldSums(transaction, accountId);
  await announce(transaction, { kind: 'account', key: accountId });
  if (account.type === 'organization') {
    const { listedAt, counters, uncollected } = await sumOverOwned(transaction, accountId, 'public');
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
  await recordState(context, transaction, ownerId);
  await recordContributorsOfChanged(transaction, { limit: maxPeopleAtOnce, ownerId });
  await updateSome(context, transaction, { limit: maxPeopleAtOnce, ownerId });
  // At the end, because all transactions that store contributions wait for the one that has added these jobs.
  await addJob(transaction, updateTotalsJob);
  await requestBoardsNaming(transaction, ownerId);
}
