import { findById } from '../../accounts/store.ts';
import { needLanguages } from '../../contributions/items/detail-store.ts';
import { collectRepositoryJob, countLanguagesJob, type LanguagesOfAccount } from '../../contributions/items/jobs.ts';
import { maxRepositories } from '../../contributions/languages/languages.ts';
import { findLanguageRepositories } from '../../contributions/languages/store.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import { completeLookup } from '../../database/queue/lookups.ts';
import type { SyncContext } from '../context.ts';

/**
 * Has the languages of commits read in the repositories with the most commits of an account, by jobs of the repositories.
 * A public caller's job leaves private repositories alone.
 */
export async function countLanguages(
  { connection }: Pick<SyncContext, 'connection'>,
  requested: LanguagesOfAccount,
): Promise<void> {
  const { accountId, withPrivate } = requested;
  const account = await findById(connection, accountId);
  if (account !== undefined && !account.pinned) {
    const query = { accountId, isOwner: account.type === 'organization', withPrivate };
    for (const repository of await findLanguageRepositories(connection, query, maxRepositories)) {
      if (repository.isNeeded) continue;
      await inTransaction(connection, async (transaction) => {
        await needLanguages(transaction, repository.id);
        const { ownerId, name, isPrivate } = repository;
        const job = collectRepositoryJob({ accountId: ownerId, repository: name, withPrivate: isPrivate });
        await addJob(transaction, job);
      });
    }
  }
  await completeLookup(connection, countLanguagesJob(requested).key);
}
