import type { Account } from '../accounts/store.ts';
import { recordCollected, recordContributorsChanged } from '../contributions/collection-store.ts';
import type { Connection } from '../database/connection.ts';
import { inTransaction } from '../database/transaction.ts';
import { AppError } from '../errors.ts';
import type { Call, ListedRepository, Provider } from '../providers/provider.ts';
import { findListing, finishListing, moveListing } from '../repositories/listing-store.ts';
import { countListed, hideUnlisted, saveListedRepositories } from '../repositories/store.ts';
import type { SyncContext } from './context.ts';
import { saveTips } from './stream-store.ts';

/** No account owns so many pages of repositories; a provider that goes on for ever is not followed for ever. */
const maxPages = 10_000;
/** An end that comes too early is looked at so often; then it is the end, whatever the provider's count says. */
const maxLooks = 3;

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
  let looks = 1;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const page = await provider.listRepositories(account, cursor, call);
    const listedAt = context.now();
    const next = await inTransaction(context.connection, async (transaction): Promise<'more' | 'again' | 'end'> => {
      await saveListed(context, transaction, { account, provider, repositories: page.repositories, listedAt });
      if (page.nextCursor !== null) {
        await moveListing(transaction, account.id, { startedAt, cursor: page.nextCursor });
        return 'more';
      }
      // A list that breaks off early must not hide what it did not show.
      const listed = await countListed(transaction, account.id, startedAt);
      if (looks < maxLooks && listed < (page.total ?? 0)) return 'again';
      const isChanged = await hideUnlisted(transaction, account.id, startedAt, listedAt);
      await finishListing(transaction, account.id, listedAt);
      if (isChanged) await recordContributorsChanged(transaction, account.id);
      await recordCollected(transaction, account.id);
      return 'end';
    });
    if (next === 'end') return;
    if (next === 'again') looks += 1;
    else cursor = page.nextCursor;
  }
  throw new AppError('provider_invalid_response', 'The provider lists repositories without an end.');
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
