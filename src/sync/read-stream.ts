import { saveActors } from '../accounts/actor-store.ts';
import { type Account } from '../accounts/store.ts';
import { recordTotalsChanged } from '../contributions/collection-store.ts';
import { type ItemKind, listedKinds } from '../contributions/contribution.ts';
import { adoptOrphans, saveContributions } from '../contributions/contribution-store.ts';
import { addPendingForPullRequests } from '../contributions/detail-store.ts';
import type { ReadContributions } from '../contributions/read-rows-store.ts';
import { countSeen, type FullScan, forgetSeen, removeUnseen } from '../contributions/scan-store.ts';
import { holdAccounts } from '../contributions/write-store.ts';
import type { Connection } from '../database/connection.ts';
import { takeSharedErasureLock } from '../database/erasure-lock.ts';
import { inTransaction } from '../database/transaction.ts';
import { AppError } from '../errors.ts';
import {
  type Call,
  type ContributionPage,
  type KnownRepository,
  type Provider,
  requirePart,
} from '../providers/provider.ts';
import type { Repository } from '../repositories/store.ts';
import { ActorsOfScan } from './actors-of-scan.ts';
import type { Extent, SyncContext } from './context.ts';
import type { DueScan } from './plan.ts';
import { countSkipped, forgetSkippedBefore } from './skip-store.ts';
import { recordSkips, type SkipCollector } from './skips.ts';
import { storeDeliveredStars } from './store-stars.ts';
import { completeStream, moveBack, moveCursor, type StreamState, startScan } from './stream-store.ts';

/** The largest difference, in ms, between a provider's clock and ours. */
const clockToleranceMs = 300_000;
/** The longest time, in ms, for which a provider shows a list as it was before a delivery: its copies agree after a while. */
const listDelayMs = 300_000;
/** The most pages of a stream: no repository has more, and a provider that never ends it is not followed for ever. */
const maxPages = 100_000;
/**
 * The most reads of a page that ends a stream too early; after them the end is accepted, even if the provider counts
 * more.
 */
const maxLooks = 3;

/** A repository that is being read. */
export interface Subject {
  /** The owner of the repository. */
  account: Account;
  repository: Repository;
  /** The repository as its provider needs it for requests. */
  known: KnownRepository;
  provider: Provider;
  call: Call;
  /** Parts of responses that were skipped since they were last stored. */
  skips: SkipCollector;
  /** The part to read; absent: everything, with details where the repository is installed. */
  extent?: Extent | undefined;
}

/** Returns whether a stream is read with details. */
export function isReadDeep(
  { repository, extent }: Pick<Subject, 'repository' | 'extent'>,
  { covers }: Pick<StreamState, 'covers'>,
): boolean {
  return repository.installedAt !== null || covers.some((kind) => extent?.detailedKinds.has(kind));
}

/** A scan of a stream, from its first page to its last. */
interface Scan {
  startedAt: Date;
  isFull: boolean;
  isDeep: boolean;
  since: Date | null;
}

/** Reads a stream to its end; every page is stored together with the cursor behind it. */
export async function readStream(
  context: SyncContext,
  subject: Subject,
  stream: StreamState,
  due: Exclude<DueScan, 'nothing' | 'mark_complete'>,
): Promise<void> {
  const scan = await beginScan(context, subject, stream, due);
  let cursor = due === 'resume' ? stream.cursor : null;
  let { pageSize } = stream;
  let scanTotal = due === 'resume' ? stream.scanTotal : null;
  const streams = requirePart(subject.provider, 'streams');
  const actors = new ActorsOfScan();
  let looks = 1;
  let read = 0;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const position = { cursor, since: scan.since, pageSize, isDeep: scan.isDeep };
    const requestedAt = context.now();
    const page = await streams.read(stream.name, subject.known, position, subject.call);
    if (page.isWithheld) return withholdStream(context, subject, stream, scan, cursor);
    if (cursor === null) scanTotal = page.total;
    const accountIds = await inTransaction(context.connection, async (transaction) => {
      // The stream is locked before accounts and totals.
      await moveCursor(transaction, subject.repository.id, stream.name, {
        from: cursor,
        to: page.nextCursor,
        pageSize: page.pageSize,
        scanTotal,
        reachedAt: scan.isFull ? (page.reachedAt ?? null) : null,
      });
      const ids = await savePage(context, transaction, {
        repository: subject.repository,
        page,
        requestedAt,
        seenAt: scan.startedAt,
        scan: { stream: stream.name, isFull: scan.isFull },
        actors,
      });
      await recordSkips(context, transaction, placeOf(subject, stream, scan), subject.skips.take());
      const total = page.nextCursor === null ? Math.min(scanTotal ?? 0, page.total ?? 0) : 0;
      const endsTooEarly = looks < maxLooks && (await isShort(transaction, subject, stream, scan, total));
      if (endsTooEarly) {
        await moveBack(transaction, subject.repository.id, stream.name, cursor);
        return undefined;
      }
      if (page.nextCursor === null) await finishStream(context, transaction, subject, stream, scan);
      return ids;
    });
    if (accountIds === undefined) {
      looks += 1;
      continue;
    }
    actors.remember(page.actors, accountIds);
    read += page.contributions.length;
    subject.extent?.onPart(stream.name, read);
    if (page.nextCursor === null) return;
    ({ nextCursor: cursor, pageSize } = page);
  }
  throw new AppError('provider_invalid_response', 'The provider lists contributions without an end.');
}

/**
 * Returns whether a scan at its end has seen fewer items than there are: a list that breaks off early must not remove
 * anything.
 */
async function isShort(
  transaction: Connection,
  subject: Subject,
  stream: StreamState,
  scan: Scan,
  total: number,
): Promise<boolean> {
  const kinds = listedKinds(stream.covers);
  if (total === 0 || !scan.isFull || kinds.length === 0) return false;
  const seen = await countSeen(transaction, fullScan(subject, stream, scan, kinds));
  return seen + (await countSkipped(transaction, placeOf(subject, stream, scan), kinds)) < total;
}

function placeOf(
  { repository }: Pick<Subject, 'repository'>,
  { name }: StreamState,
  { startedAt }: { startedAt: Date },
) {
  return { provider: repository.provider, target: { repositoryId: repository.id }, stream: name, seenAt: startedAt };
}

function fullScan(
  { repository }: Pick<Subject, 'repository'>,
  { name }: StreamState,
  { startedAt }: { startedAt: Date },
  kinds: readonly ItemKind[],
): FullScan {
  return { repositoryId: repository.id, stream: name, kinds, startedAt };
}

async function beginScan(
  context: SyncContext,
  subject: Subject,
  stream: StreamState,
  due: 'resume' | 'changes' | 'everything',
): Promise<Scan> {
  const { repository } = subject;
  const isFull = due === 'resume' ? stream.scanIsFull : due === 'everything';
  const startedAt = (due === 'resume' ? stream.scanStartedAt : null) ?? context.now();
  const isDeep = due === 'resume' ? stream.scanIsDeep : isReadDeep(subject, stream);
  if (due !== 'resume') {
    await inTransaction(context.connection, async (transaction) => {
      await startScan(transaction, repository.id, stream.name, { startedAt, isFull, isDeep });
      await forgetSeen(transaction, repository.id, stream.name);
    });
  }
  const since = isFull || stream.knownUntil === null ? null : new Date(stream.knownUntil.getTime() - clockToleranceMs);
  return { startedAt, isFull, isDeep, since };
}

/**
 * Stores the contributions and accounts of a page.
 * @param read.requestedAt the time of the request: an account that was found to be hidden since stays hidden.
 * @returns our ids of all accounts on the page, by external id.
 */
export async function savePage(
  context: SyncContext,
  transaction: Connection,
  read: Pick<ReadContributions, 'seenAt' | 'scan'> & {
    repository: Repository;
    page: ContributionPage;
    requestedAt: Date;
    actors: ActorsOfScan;
  },
): Promise<ReadonlyMap<string, string>> {
  const { repository, page, requestedAt, seenAt, scan, actors } = read;
  const known = actors.idsOfKnown(page.actors);
  if (known.length > 0) {
    await takeSharedErasureLock(transaction);
    actors.forgetErased(page.actors, await holdAccounts(transaction, known));
  }
  const saved = await saveActors(transaction, repository.provider, actors.unsaved(page.actors), {
    mentionedAt: requestedAt,
    newId: context.newId,
  });
  const accountIds = actors.idsOf(page.actors, saved);
  await saveContributions(transaction, {
    repositoryId: repository.id,
    contributions: page.contributions,
    accountIds,
    wholeParents: page.wholeParents,
    seenAt,
    ...(scan && { scan }),
  });
  const pulls = page.contributions.filter(({ kind }) => kind === 'pull_request');
  await addPendingForPullRequests(
    transaction,
    repository.id,
    pulls.map(({ externalId }) => externalId),
  );
  return accountIds;
}

/**
 * Ends a scan of a list that the host withholds. It removes nothing: an empty response says nothing about the list. From
 * now on deliveries decide, also those since the last scan to which the list was shown.
 */
async function withholdStream(
  { connection, now }: SyncContext,
  { repository }: Subject,
  { name, pageSize, knownUntil, withheldAt }: StreamState,
  scan: Scan,
  cursor: string | null,
): Promise<void> {
  await inTransaction(connection, async (transaction) => {
    await moveCursor(transaction, repository.id, name, {
      from: cursor,
      to: null,
      pageSize,
      scanTotal: null,
      reachedAt: null,
    });
    await forgetSeen(transaction, repository.id, name);
    await completeStream(transaction, repository.id, name, {
      knownUntil: scan.startedAt,
      completedAt: now(),
      withheldAt: now(),
      wasFull: true,
      wasDeep: scan.isDeep,
    });
    if (knownUntil === null || withheldAt !== null) return;
    const since = new Date(knownUntil.getTime() - listDelayMs);
    await storeDeliveredStars(transaction, repository.id, { since, seenAt: scan.startedAt });
    await recordTotalsChanged(transaction, repository.id);
  });
}

/** Ends a scan together with all consequences, so that neither is ever seen without the other. */
export async function finishStream(
  context: SyncContext,
  transaction: Connection,
  { repository }: Subject,
  stream: StreamState,
  scan: { startedAt: Date; isFull: boolean; isDeep: boolean },
): Promise<void> {
  if (scan.isFull) {
    const place = placeOf({ repository }, stream, scan);
    const kinds = stream.covers.filter((kind) => kind !== 'commit');
    // An item that could not be read may be any of those that the scan did not see, so none of them is removed.
    const hasGaps = kinds.length > 0 && (await countSkipped(transaction, place, kinds)) > 0;
    if (kinds.length > 0 && !hasGaps) {
      await removeUnseen(transaction, fullScan({ repository }, stream, scan, kinds));
    }
    await forgetSeen(transaction, repository.id, stream.name);
    await forgetSkippedBefore(transaction, place);
  }
  await completeStream(transaction, repository.id, stream.name, {
    knownUntil: scan.startedAt,
    completedAt: context.now(),
    wasFull: scan.isFull,
    wasDeep: scan.isDeep,
  });
  await adoptOrphans(transaction, repository.id);
  await recordTotalsChanged(transaction, repository.id);
}
