import { findById } from '../../accounts/store.ts';
import { recordPrivateCounters } from '../../contributions/private-counters.ts';
import {
  type ChangedContributor,
  forgetUncounted,
  recordContributorsOfChanged,
  takeChangedContributors,
} from '../../contributions/totals/changed-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { inBatches } from '../../database/connections/in-batches.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { announce } from '../../database/queue/announcements.ts';
import type { SyncContext } from '../context.ts';
import { recordStoredTotals, requestRefresh, wantReported } from './stored-totals.ts';

const peopleAtOnce = 20;
/** The most contributors to a repository that one transaction records after its visibility or owner has changed. */
const recordedAtOnce = 1000;
/** The most batches of one job, after which it lets other jobs run. */
const maxRounds = 100;
/**
 * Updates all accounts whose stored contributions changed, in repositories of any owner: summed totals at once, and
 * those that the code host reports by a request soon.
 * @returns `more` when accounts are left.
 */
export async function updateTotals(context: SyncContext): Promise<'done' | 'more'> {
  const recorded = await recordContributors(context);
  const forgotten = await inBatches(() => forgetUncounted(context.connection));
  for (let round = 0; round < maxRounds; round += 1) {
    const updated = await inTransaction(context.connection, (transaction) => updateSome(context, transaction));
    if (updated === 0) return forgotten === 'more' ? 'more' : recorded;
  }
  return 'more';
}

/** Records the contributors to all repositories that became visible, hidden or another account's. */
async function recordContributors({ connection }: SyncContext): Promise<'done' | 'more'> {
  for (let round = 0; round < maxRounds; round += 1) {
    if (!(await recordContributorsOfChanged(connection, recordedAtOnce))) return 'done';
  }
  return 'more';
}

/** Updates some accounts within the surrounding transaction. @returns how many. */
async function updateSome(context: SyncContext, transaction: Connection): Promise<number> {
  const changed = await takeChangedContributors(transaction, peopleAtOnce);
  for (const person of changed) await updateOne(context, transaction, person);
  return changed.length;
}

async function updateOne(
  context: SyncContext,
  transaction: Connection,
  { accountId, isUpdate, isVisibility }: ChangedContributor,
): Promise<void> {
  const account = await findById(transaction, accountId);
  if (account === undefined) return;
  const isSummed = await recordStoredTotals(context, transaction, account);
  if (isVisibility) await wantReported(context, transaction, account);
  await recordPrivateCounters(transaction, account);
  await announce(transaction, { kind: 'account', key: account.id });
  if (isUpdate && !isSummed) await requestRefresh(context, transaction, account);
}
