import { hideUncovered, recordInstalled } from '../../accounts/installations/store.ts';
import { hideUnlisted } from '../../accounts/repositories/hide-store.ts';
import {
  countListed,
  findListing,
  finishListing,
  moveListing,
  privateListing,
  publicListing,
  saveListedRepositories,
} from '../../accounts/repositories/store.ts';
import { lockAccounts } from '../../accounts/store.ts';
import { deleteReportedBy } from '../../contributions/totals/private-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { type Call, type ListedRepository, listStreams, type Provider } from '../../hosts/interface/provider.ts';
import type { Account } from '../../model/account.ts';
import { AppError } from '../../model/errors.ts';
import type { SyncContext } from '../context.ts';
import { recordState, recordVisibility } from '../lookups/record-state.ts';
import { countSkipped, deleteSkippedBefore } from '../streams/skip-store.ts';
import { recordSkips, SkipCollector } from '../streams/skips.ts';
import { saveTips } from '../streams/stream-store.ts';

/** The most pages of a listing: no account has more, and a provider that never ends it is not followed for ever. */
const maxPages = 10_000;
/**
 * The most reads of a listing that ends too early; after them the end is accepted, even if the provider counts more.
 */
const maxLooks = 3;

/** Lists the repositories that an account owns, page by page; continues a listing that was interrupted. */
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
  const skips = new SkipCollector(call);
  for (let pages = 0; pages < maxPages; pages += 1) {
    const listedAt = context.now();
    const page = await provider.repositories.list(account, cursor, skips.call);
    const place = toPlace(account, page.credentialName, startedAt);
    const next = await inTransaction(context.connection, async (transaction): Promise<'more' | 'again' | 'end'> => {
      await saveListed(context, transaction, { account, provider, repositories: page.repositories, listedAt });
      await recordSkips(context, transaction, place, skips.take());
      if (page.isRefused && page.credentialName !== null)
        await deleteReportedBy(transaction, account.provider, page.credentialName);
      if (page.endsView && looks < maxLooks) {
        // A list that breaks off early must not hide the repositories that it left out.
        const listed = await countListed(transaction, account.id, page.credentialName, startedAt);
        const skipped = await countSkipped(transaction, place, ['repository']);
        if (listed + skipped < (page.total ?? 0)) return 'again';
      }
      if (page.nextCursor !== null) {
        await moveListing(transaction, account.id, { startedAt, cursor: page.nextCursor });
        return 'more';
      }
      const isChanged = await finishViews(transaction, account, { startedAt, listedAt });
      await finishListing(transaction, account.id, { startedAt, listedAt });
      if (isChanged) await recordVisibility(context, transaction, [account.id]);
      else await recordState(context, transaction, account.id);
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

/** Returns the place of skipped repositories, which differs between the public view and the views of credentials. */
function toPlace({ provider, id }: Account, credentialName: string | null, seenAt: Date) {
  const stream = credentialName === null ? publicListing : privateListing;
  return { provider, target: { accountId: id }, stream, seenAt };
}

/**
 * Hides repositories that the listing did not show, unless one of its items could not be read: that one may be any of
 * those that were not shown.
 * @returns whether any was hidden.
 */
async function finishViews(
  transaction: Connection,
  account: Account,
  { startedAt, listedAt }: { startedAt: Date; listedAt: Date },
): Promise<boolean> {
  let skipped = 0;
  for (const credentialName of [null, '']) {
    const place = toPlace(account, credentialName, startedAt);
    skipped += await countSkipped(transaction, place, ['repository']);
    await deleteSkippedBefore(transaction, place);
  }
  return skipped === 0 && (await hideUnlisted(transaction, account.id, startedAt, listedAt));
}

/** Stores listed repositories, with the state of their streams that the listing reports. */
export async function saveListed(
  context: SyncContext,
  connection: Connection,
  listed: {
    account: Account;
    provider: Provider;
    repositories: readonly ListedRepository[];
    listedAt: Date;
    /** The kinds to read of repositories that are not installed, beside those that are counted. */
    kinds?: ReadonlySet<string> | undefined;
  },
): Promise<void> {
  const { account, provider, repositories, listedAt, kinds = new Set() } = listed;
  const { ids, ownersChanged } = await saveListedRepositories(connection, {
    provider: account.provider,
    ownerId: account.id,
    repositories,
    listedAt,
    newId: context.newId,
  });
  const owners = { repositoryIds: [...ids.values()] };
  await recordInstalled(connection, owners, listedAt);
  // Some streams exist for installed repositories only, which `recordInstalled` has just marked.
  await saveTips(connection, repositories, ids, { streams: listStreams(provider), kinds });
  // A response to a request from just before an installation ended must not show hidden repositories again.
  const hidden = await hideUncovered(connection, owners, listedAt);
  // The caller may record the state of the account itself.
  if (ownersChanged.length > 0) await lockAccounts(connection, [account.id, ...ownersChanged]);
  await recordVisibility(context, connection, [...new Set([...ownersChanged, ...hidden])]);
}
