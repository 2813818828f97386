import { isDeepStrictEqual } from 'node:util';
import { refreshJob } from '../../accounts/jobs.ts';
import { hideUnseen } from '../../accounts/repositories/hide-store.ts';
import { findByExternalIds, type Repository } from '../../accounts/repositories/store.ts';
import { collectRepositoryJob } from '../../contributions/items/jobs.ts';
import { deleteReportedBy } from '../../contributions/totals/private-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import {
  type Call,
  type ListedRepository,
  listStreams,
  type Provider,
  type RepositoryPage,
  type StreamTip,
} from '../../hosts/interface/provider.ts';
import type { Account } from '../../model/account.ts';
import { AppError } from '../../model/errors.ts';
import type { RepositoryFacts } from '../../model/repository.ts';
import type { SyncContext } from '../context.ts';
import { recordState, recordVisibility } from '../lookups/record-state.ts';
import { SkipCollector } from '../streams/skips.ts';
import { findTips, recordStreamChange } from '../streams/stream-store.ts';
import { saveListed } from './list-repositories.ts';

/** The most pages of a listing; a provider that never ends it is not followed for ever. */
const maxPages = 10_000;
/**
 * The most reads of a listing that ends too early; after them the end is accepted, even if the provider counts more.
 */
const maxReads = 3;
/** The delay, in ms, that lets a burst of changes be read once. */
const delayMs = 1000;

/** A listing that is compared with the stored repositories. */
interface Comparison {
  account: Account;
  provider: Provider;
  /** True when repositories that are not stored yet are installed, too. */
  isWhole: boolean;
}

/**
 * Lists an owner's repositories and stores only the differences. Repositories that became private or vanished are
 * hidden at once, and installed repositories with changes are read.
 */
export async function compareListing(context: SyncContext, comparison: Comparison, call: Call): Promise<void> {
  const { account, provider } = comparison;
  const { connection, now } = context;
  const startedAt = now();
  const skips = new SkipCollector(call);
  let view = newView();
  let cursor: string | null = null;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const listedAt = now();
    const page: RepositoryPage = await provider.repositories.list(account, cursor, skips.call);
    view.skipped += skips.take().filter(({ kind, isStored }) => kind === 'repository' && !isStored).length;
    for (const { externalId } of page.repositories) view.seen.add(externalId);
    await inTransaction(connection, (transaction) =>
      saveDifferent(context, transaction, comparison, { page, listedAt }),
    );
    const isShort = page.endsView && view.seen.size + view.skipped < (page.total ?? 0);
    if (isShort && view.reads < maxReads) {
      view.reads += 1;
      continue;
    }
    if (page.endsView) {
      const { seen, skipped } = view;
      // A repository that cannot be read may be any of those that are not shown, so none of them is hidden.
      if (skipped === 0)
        await hideVanished(context, account, {
          credentialName: page.credentialName,
          seen: [...seen],
          startedAt,
          listedAt,
        });
      view = newView();
    }
    if (page.nextCursor === null) return;
    cursor = page.nextCursor;
  }
  throw new AppError('provider_invalid_response', 'The provider lists repositories without an end.');
}

function newView(): { seen: Set<string>; skipped: number; reads: number } {
  return { seen: new Set(), skipped: 0, reads: 1 };
}

async function hideVanished(
  context: SyncContext,
  account: Account,
  view: Parameters<typeof hideUnseen>[2],
): Promise<void> {
  await inTransaction(context.connection, async (transaction) => {
    if (await hideUnseen(transaction, account.id, view)) await recordVisibility(context, transaction, [account.id]);
  });
}

/**
 * Stores the repositories of a page that differ from the stored ones, and queues reads of installed ones with changes.
 */
async function saveDifferent(
  context: SyncContext,
  transaction: Connection,
  { account, provider, isWhole }: Comparison,
  { page, listedAt }: { page: RepositoryPage; listedAt: Date },
): Promise<void> {
  if (page.isRefused && page.credentialName !== null)
    await deleteReportedBy(transaction, account.provider, page.credentialName);
  if (page.repositories.length === 0) return;
  const externalIds = page.repositories.map(({ externalId }) => externalId);
  const stored = await findByExternalIds(transaction, account.provider, externalIds);
  const tips = await findTips(
    transaction,
    [...stored.values()].map(({ id }) => id),
  );
  const different = page.repositories.flatMap((listed) => {
    const known = stored.get(listed.externalId);
    if (known === undefined) return isWhole ? [{ listed, streams: [], isOther: true }] : [];
    const streams = changedStreams(provider, listed, tips.get(known.id) ?? new Map());
    const isOther = known.isDeleted || known.ownerId !== account.id || hasOtherFacts(known, listed);
    return isOther || streams.length > 0 ? [{ listed, streams, isOther }] : [];
  });
  if (different.length === 0) return;
  const repositories = different.map(({ listed }) => listed);
  await saveListed(context, transaction, { account, provider, repositories, listedAt });
  const saved = await findByExternalIds(
    transaction,
    account.provider,
    repositories.map(({ externalId }) => externalId),
  );
  for (const { listed, streams } of different) {
    const [before, after] = [stored.get(listed.externalId), saved.get(listed.externalId)];
    if (after !== undefined) await readSoon(context, transaction, { before, after, streams });
  }
  if (different.some(({ isOther }) => isOther)) await recordState(context, transaction, account.id);
  const hasOtherStars = repositories.some(({ externalId, stars }) => stored.get(externalId)?.stars !== stars);
  if (hasOtherStars && account.type !== 'organization') await addJob(transaction, refreshJob(account.id));
}

async function readSoon(
  { now }: SyncContext,
  transaction: Connection,
  { before, after, streams }: { before: Repository | undefined; after: Repository; streams: readonly string[] },
): Promise<void> {
  if (after.installedAt === null || after.isDeleted) return;
  const isNew = before === undefined || before.isDeleted || before.defaultBranch !== after.defaultBranch;
  if (!isNew && streams.length === 0) return;
  await recordStreamChange(transaction, after.id, streams, now());
  const job = collectRepositoryJob({ accountId: after.ownerId, repository: after.name, withPrivate: true });
  await addJob(transaction, { ...job, runAt: new Date(now().getTime() + delayMs), keepsRunAt: true });
}

/** Returns the names of the streams that the listing shows in another state than the last one did. */
function changedStreams(
  provider: Provider,
  { tips: listed }: ListedRepository,
  stored: ReadonlyMap<string, StreamTip>,
): string[] {
  const unknown: StreamTip = { total: null, changedAt: null, revision: null };
  return listStreams(provider).flatMap(({ name }) => {
    const known = stored.get(name);
    return known === undefined || isDeepStrictEqual(known, listed[name] ?? unknown) ? [] : [name];
  });
}

/**
 * Returns whether the listed facts of a repository differ from the stored ones. A change from one credential that shows
 * it to another makes no difference.
 */
function hasOtherFacts(known: Repository, listed: ListedRepository): boolean {
  const credentialName =
    known.credentialName !== null && listed.credentialName !== null ? known.credentialName : listed.credentialName;
  return !isDeepStrictEqual(toFacts(known), { ...toFacts(listed), credentialName });
}

function toFacts(repository: RepositoryFacts): RepositoryFacts {
  const { externalId, handle, name, description, language, license, defaultBranch, isPrivate, credentialName } =
    repository;
  const { isFork, stars, forks, openIssues, sizeKib } = repository;
  const named = { externalId, handle, name, description, language, license, defaultBranch, isPrivate, credentialName };
  return Object.assign(named, { isFork, stars, forks, openIssues, sizeKib });
}
