import { collectRepositoryJob } from '../contributions/jobs.ts';
import { findExcess } from '../contributions/overstated-store.ts';
import { addJob } from '../database/added-jobs.ts';
import { inTransaction } from '../database/transaction.ts';
import type { SyncContext } from './context.ts';
import { wantFullScan } from './stream-change-store.ts';
import { findOverfull } from './stream-store.ts';

/** The interval, in ms, at which a list is read whole that never agrees with the host's count. */
const repeatedAfterMs = 86_400_000;
/** The most repositories that one refresh has read again. */
const maxRepositories = 100;

/**
 * Has repositories read again at once where more of an account is stored than its host counts in all, and more in a repository
 * than its listing shows: hosts send no event about a deleted pull request.
 */
export async function readOverfullAgain(
  { connection, now }: Pick<SyncContext, 'connection' | 'now'>,
  accountId: string,
): Promise<void> {
  if ((await findExcess(connection, accountId)).length === 0) return;
  const before = new Date(now().getTime() - repeatedAfterMs);
  const found = await findOverfull(connection, accountId, { before, limit: maxRepositories });
  for (const { repositoryId, ownerId, name, streams } of found) {
    await inTransaction(connection, async (transaction) => {
      await wantFullScan(transaction, repositoryId, streams, now());
      await addJob(transaction, collectRepositoryJob({ accountId: ownerId, repository: name, withPrivate: false }));
    });
  }
}
