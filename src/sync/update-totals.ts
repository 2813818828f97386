import { refreshJob } from '../accounts/jobs.ts';
import { findById } from '../accounts/store.ts';
import { type ChangedContributor, forgetUncounted, takeChangedContributors } from '../contributions/changed-store.ts';
import { recordPrivateCounters } from '../contributions/private-counters.ts';
import type { Connection } from '../database/connection.ts';
import { announce } from '../database/listener.ts';
import { addJob } from '../database/queue.ts';
import { inTransaction } from '../database/transaction.ts';
import type { SyncContext } from './context.ts';
import { recordStoredTotals } from './stored-totals.ts';

const peopleAtOnce = 20;
/** The job makes room for others after this many batches. */
const maxRounds = 100;
/**
 * A code host needs a moment until its own totals hold what has just happened; and someone who contributes all the time
 * is refreshed this often.
 */
const refreshDelayMs = 10_000;

/**
 * Brings everyone up to date whose stored contributions changed, whoever owns the repositories: totals that are summed at
 * once, and those that the code host reports by a request soon.
 */
export async function updateTotals(context: SyncContext): Promise<'done' | 'more'> {
  await forgetUncounted(context.connection);
  for (let round = 0; round < maxRounds; round += 1) {
    const updated = await inTransaction(context.connection, (transaction) =>
      updateSome(context, transaction, { limit: peopleAtOnce, ownerId: null }),
    );
    if (updated === 0) return 'done';
  }
  return 'more';
}

/** Does so for some of them within the surrounding transaction. @returns how many they were. */
export async function updateSome(
  context: SyncContext,
  transaction: Connection,
  which: { limit: number; ownerId: string | null },
): Promise<number> {
  const changed = await takeChangedContributors(transaction, which);
  for (const one of changed) await updateOne(context, transaction, one);
  return changed.length;
}

async function updateOne(
  context: SyncContext,
  transaction: Connection,
  { accountId, isNews }: ChangedContributor,
): Promise<void> {
  const account = await findById(transaction, accountId);
  if (account === undefined) return;
  const isSummed = await recordStoredTotals(context, transaction, account);
  await recordPrivateCounters(transaction, account);
  await announce(transaction, { kind: 'account', key: account.id });
  if (!isNews || isSummed || account.pinned || !context.providers.has(account.provider)) return;
  const runAt = new Date(context.now().getTime() + refreshDelayMs);
  await addJob(transaction, { ...refreshJob(account.id), runAt, keepsRunAt: true });
}
