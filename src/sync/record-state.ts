import { findById, findCountedContributors } from '../accounts/store.ts';
import { recordCollected, recordRepositoriesChanged } from '../contributions/collection-store.ts';
import { saveCounters } from '../contributions/counter-store.ts';
import { completeCounters } from '../contributions/counters.ts';
import { recordPrivateCounters } from '../contributions/private-counters.ts';
import { sumOverOwned } from '../contributions/total-store.ts';
import type { Connection } from '../database/connection.ts';
import { announce } from '../database/listener.ts';
import type { SyncContext } from './context.ts';
import { recordStoredTotals } from './stored-totals.ts';

/** Stores what is known by now of what an account owns: which kinds are complete, and counters that are summed. */
export async function recordState(context: SyncContext, transaction: Connection, accountId: string): Promise<void> {
  const account = await findById(transaction, accountId);
  if (account === undefined) return;
  await recordCollected(transaction, accountId);
  if (account.type === 'organization') {
    const { listedAt, counters, uncollected } = await sumOverOwned(transaction, accountId, { withPrivate: false });
    if (listedAt === null) return;
    await saveCounters(transaction, accountId, { ...completeCounters(counters, uncollected), askedAt: context.now() });
  } else {
    await recordStoredTotals(context, transaction, account);
  }
  await recordPrivateCounters(transaction, account);
}

/** Lets everything follow at once when other repositories of an account may be seen than before. */
export async function recordVisibility(context: SyncContext, transaction: Connection, ownerId: string): Promise<void> {
  await recordRepositoriesChanged(transaction, ownerId);
  await recordState(context, transaction, ownerId);
  const owner = await findById(transaction, ownerId);
  if (context.providers.get(owner?.provider ?? '')?.totalsFromStored === undefined) return;
  // What people did is counted over what everybody owns: of those whose numbers are kept, they follow, too.
  for (const contributor of await findCountedContributors(transaction, ownerId)) {
    await recordStoredTotals(context, transaction, contributor);
    await recordPrivateCounters(transaction, contributor);
    await announce(transaction, { kind: 'account', key: contributor.id });
  }
}
