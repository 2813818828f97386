import { lockAccount } from '../../accounts/store.ts';
import { collectRepositoryJob } from '../../contributions/items/jobs.ts';
import { findHistory, saveCounters } from '../../contributions/totals/counter-store.ts';
import { findExcess, findOverstated } from '../../contributions/totals/overstated-store.ts';
import { countStored } from '../../contributions/totals/private-store.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import { announce } from '../../database/queue/announcements.ts';
import type { SyncContext } from '../context.ts';
import { wantFullScan } from './stream-change-store.ts';
import { findOverfull } from './stream-store.ts';

/** The interval, in ms, at which a list is read whole that never agrees with the host's count. */
const repeatedAfterMs = 86_400_000;
/** The most repositories that one refresh has read again. */
const maxRepositories = 100;

/**
 * Has repositories read again at once where more of an account is stored than its host counts in all, and more in a repository
 * than its listing shows: hosts send no event about a deleted pull request. The account's counters are the stored sums then, and
 * missing while repositories are read again.
 */
export async function readOverfullAgain(
  { connection, now }: Pick<SyncContext, 'connection' | 'now'>,
  accountId: string,
): Promise<void> {
  const excess = await findExcess(connection, accountId);
  if (excess.length === 0) return;
  const before = new Date(now().getTime() - repeatedAfterMs);
  const found = await findOverfull(connection, accountId, { before, limit: maxRepositories });
  for (const { repositoryId, ownerId, name, streams } of found) {
    await inTransaction(connection, async (transaction) => {
      await wantFullScan(transaction, repositoryId, streams, now());
      await addJob(transaction, collectRepositoryJob({ accountId: ownerId, repository: name, withPrivate: false }));
    });
  }
  await inTransaction(connection, async (transaction) => {
    await lockAccount(transaction, accountId);
    const overstated = await findOverstated(transaction, accountId);
    const [day] = await findHistory(transaction, accountId, { limit: 1 });
    const { counters: stored } = await countStored(transaction, accountId, 'public');
    const counters = Object.fromEntries(excess.map((name) => [name, Math.max(stored[name], day?.counters[name] ?? 0)]));
    const missing = [...(day?.missing ?? []), ...overstated];
    await saveCounters(transaction, accountId, { counters, missing, fetchedAt: now() });
    await announce(transaction, { kind: 'account', key: accountId });
  });
}
