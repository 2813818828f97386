import type { Account } from '../accounts/store.ts';
import { forgetSeenBy } from '../contributions/private-store.ts';
import type { Connection } from '../database/connection.ts';
import { inTransaction } from '../database/transaction.ts';
import { AppError } from '../errors.ts';
import { hideUncovered, recordInstalled } from '../installations/coverage-store.ts';
import type { Call, ListedRepository, Provider } from '../providers/provider.ts';
import { hideUnlisted } from '../repositories/hide-store.ts';
import { findListing, finishListing, moveListing } from '../repositories/listing-store.ts';
import { countListed, saveListedRepositories } from '../repositories/store.ts';
import type { SyncContext } from './context.ts';
import { recordState, recordVisibility } from './record-state.ts';
import { saveTips } from './stream-store.ts';

/** No account owns so many pages of repositories; a provider that goes on for ever is not followed for ever. */
const maxPages = 10_000;
/** An end that comes too early is looked at so often; then it is the end, whatever the provider's count says. */
const maxLooks = 3;

/** Lists the repositories that an account owns, page by page; goes on where a listing was interrupted. */
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
    const listedAt = context.now();
    const page = await provider.listRepositories(account, cursor, call);
    const next = await inTransaction(context.connection, async (transaction): Promise<'more' | 'again' | 'end'> => {
      await saveListed(context, transaction, { account, provider, repositories: page.repositories, listedAt });
      if (page.isRefused && page.access !== null) await forgetSeenBy(transaction, account.provider, page.access);
      if (page.endsView && looks < maxLooks) {
        // A list that breaks off early must not hide what it did not show.
        const listed = await countListed(transaction, account.id, page.access, startedAt);
        if (listed < (page.total ?? 0)) return 'again';
      }
      if (page.nextCursor !== null) {
        await moveListing(transaction, account.id, { startedAt, cursor: page.nextCursor });
        return 'more';
      }
      const isChanged = await hideUnlisted(transaction, account.id, startedAt, listedAt);
      await finishListing(transaction, account.id, { startedAt, listedAt });
      await (isChanged ? recordVisibility : recordState)(context, transaction, account.id);
      return 'end';
    });
    if (next === 'end') return;
    if (next === 'again') {
      looks += 1;
      continue;
    }
    if (page.endsView) looks = 1;
    cursor = page.nextCursor;
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
  const owners = { ids: [account.id, ...ownersChanged] };
  await recordInstalled(connection, owners, listedAt);
  // Some streams are of installed repositories alone.
  await saveTips(connection, repositories, ids, provider.streams);
  // What was asked for just before an installation ended must not come back by an answer that arrives after.
  const hidden = await hideUncovered(connection, owners, listedAt);
  for (const ownerId of new Set([...ownersChanged, ...hidden])) await recordVisibility(context, connection, ownerId);
}
