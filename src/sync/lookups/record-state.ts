import { findById, lockAccount, lockAccounts } from '../../accounts/store.ts';
import { prepareListsAgain } from '../../contributions/contributors/prepare-store.ts';
import { updateTotalsJob } from '../../contributions/items/jobs.ts';
import { recordPrivateCounters, sumTotals } from '../../contributions/present-counters.ts';
import { saveCounters } from '../../contributions/totals/counter-store.ts';
import { foldSums } from '../../contributions/totals/owner-sum-store.ts';
import { hasShownOtherwise } from '../../contributions/totals/update-queue-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import { announce } from '../../database/queue/announcements.ts';
import { requestBoardsNaming } from '../../recognition/boards/ranking/request-store.ts';
import type { SyncContext } from '../context.ts';
import { recordStoredTotals, wantReported } from '../totals/stored-totals.ts';

/** Stores the counters of an account that are summed from its data, and announces that to all nodes. */
export async function recordState(
  context: Pick<SyncContext, 'now' | 'providers'>,
  transaction: Connection,
  accountId: string,
): Promise<void> {
  // Orders the writers of the counters, so that the last one has read the newest sums.
  const account = await lockAccount(transaction, accountId);
  if (account === undefined) return;
  await foldSums(transaction, accountId);
  await announce(transaction, { kind: 'account', key: accountId });
  if (account.type === 'organization') {
    const { listedAt, counters, missing } = await sumTotals(transaction, accountId, 'public');
    if (listedAt === null) return;
    await saveCounters(transaction, accountId, { counters, missing, fetchedAt: context.now() });
  } else {
    await recordStoredTotals(context, transaction, account);
  }
  await recordPrivateCounters(transaction, account);
}

/**
 * Updates everything that depends on the repositories of accounts, after the visibility of any of these has changed. Their
 * people follow in transactions of their own, because this one must not lock other accounts.
 */
export async function recordVisibility(
  context: SyncContext,
  transaction: Connection,
  ownerIds: readonly string[],
): Promise<void> {
  if (ownerIds.length === 0) return;
  await lockAccounts(transaction, ownerIds);
  for (const ownerId of ownerIds) {
    await recordState(context, transaction, ownerId);
    if (!(await hasShownOtherwise(transaction, ownerId))) continue;
    const owner = await findById(transaction, ownerId);
    if (owner !== undefined) await wantReported(context, transaction, owner);
  }
  await addJob(transaction, updateTotalsJob);
  await prepareListsAgain(transaction, ownerIds);
  await requestBoardsNaming(transaction, ownerIds);
}
