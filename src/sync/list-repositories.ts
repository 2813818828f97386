import type { Account } from '../accounts/store.ts';
import { recordCollected, recordContributorsChanged } from '../contributions/collection-store.ts';
import type { Connection } from '../database/connection.ts';
import { inTransaction } from '../database/transaction.ts';
import { AppError } from '../errors.ts';
import type { Call, ListedRepository, Provider } from '../providers/provider.ts';
import { findListing, finishListing, moveListing } from '../repositories/listing-store.ts';
import { hideUnlisted, saveListedRepositories } from '../repositories/store.ts';
import type { SyncContext } from './context.ts';
import { saveTips } from './stream-store.ts';

/** No account owns so many pages of repositories; a provider that goes on for ever is not followed for ever. */
const maxPages = 10_000;

/** Lists the public repositories that an account owns, page by page; goes on where a listing was interrupted. */
export async function listRepositories(
  context: SyncContext,
  account: Account,
  provider: Provider,
  call: Call,
): Promise<void> {
  const running = await findListing(context.connection, account.id);
  const startedAt = running?.startedAt ?? context.now();
  let cursor = running?.cursor ?? null;
  let listedCount = 0;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const page = await provider.listRepositories(account, cursor, call);
    const listedAt = context.now();
    listedCount += page.repositories.length;
    if (running === undefined && page.nextCursor === null) assertWhole(listedCount, page.total);
    await inTransaction(context.connection, async (transaction) => {
      await saveListed(context, transaction, { account, provider, repositories: page.repositories, listedAt });
      if (page.nextCursor !== null) {
        await moveListing(transaction, account.id, { startedAt, cursor: page.nextCursor });
        return;
      }
      const isChanged = await hideUnlisted(transaction, account.id, startedAt, listedAt);
      await finishListing(transaction, account.id, listedAt);
      if (isChanged) await recordContributorsChanged(transaction, account.id);
      await recordCollected(transaction, account.id);
    });
    if (page.nextCursor === null) return;
    cursor = page.nextCursor;
  }
  throw new AppError('provider_invalid_response', 'The provider lists repositories without an end.');
}

/** A listing that breaks off early must not hide what it did not show. */
function assertWhole(listed: number, total: number | null): void {
  if (total === null || listed >= total) return;
  throw new AppError('provider_invalid_response', 'The provider listed fewer repositories than it says there are.');
}

/** Stores repositories as they are listed, with what the listing tells of their streams. */
export async function saveListed(
  context: SyncContext,
  connection: Connection,
  listed: { account: Account; provider: Provider; repositories: readonly ListedRepository[]; listedAt: Date },
): Promise<void> {
  const { account, provider, repositories, listedAt } = listed;
  const { ids, ownersChanged } = await saveListedRepositories(connection, {
    provider: account.provider,
    ownerId: account.id,
    repositories,
    listedAt,
    newId: context.newId,
  });
  await saveTips(connection, repositories, ids, provider.streams);
  for (const ownerId of ownersChanged) await recordContributorsChanged(connection, ownerId);
}
