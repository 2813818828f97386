import { recordTotalsChanged } from '../../contributions/items/collection-store.ts';
import { adoptOrphans, saveContributions } from '../../contributions/items/contribution-store.ts';
import { countSeen, deleteSeen, type FullScan, removeUnseen } from '../../contributions/items/scan-store.ts';
import { findDeliveredStars, removeStar } from '../../contributions/items/star-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { takeSharedErasureLock } from '../../database/schema/erasure.ts';
import { type Contribution, type ItemKind, listedKinds, noDetails } from '../../model/contribution.ts';
import type { SyncContext } from '../context.ts';
import { countSkipped, deleteSkippedBefore } from './skip-store.ts';
import { completeStream, lockStream, moveCursor, type StreamState } from './stream-store.ts';
import type { Subject } from './subject.ts';

/** The longest time, in ms, for which a provider shows a list as it was before a delivery: its copies agree after a while. */
const listDelayMs = 300_000;

/** A scan of a stream, from its first page to its last. */
export interface Scan {
  startedAt: Date;
  isFull: boolean;
  isDeep: boolean;
  since: Date | null;
}

/**
 * Returns whether a scan at its end has seen fewer items than there are: a list that breaks off early must not remove
 * anything.
 */
export async function isShort(
  transaction: Connection,
  subject: Subject,
  stream: StreamState,
  scan: Scan,
  total: number,
): Promise<boolean> {
  const kinds = listedKinds(stream.covers);
  if (total === 0 || !scan.isFull || kinds.length === 0) return false;
  const seen = await countSeen(transaction, fullScan(subject, stream, scan, kinds));
  return seen + (await countSkipped(transaction, toPlace(subject, stream, scan), kinds)) < total;
}

export function toPlace(
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

/**
 * Ends a scan of a list that the host withholds. Nothing is removed: an empty response says nothing about the list. From
 * now on deliveries decide, also those since the last scan to which the list was shown.
 */
export async function withholdStream(
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
    await deleteSeen(transaction, repository.id, name);
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
    await recordTotalsChanged(transaction, [repository.id]);
  });
}

/** Removes the rest of the items that a scan did not see, and ends the scan. After a stop the scan begins again. */
export async function removeRest(
  context: SyncContext,
  subject: Subject,
  stream: StreamState,
  scan: Scan,
): Promise<void> {
  for (;;) {
    subject.call.signal.throwIfAborted();
    const end = await inTransaction(context.connection, async (transaction) => {
      await lockStream(transaction, subject.repository.id, stream.name);
      return finishStream(context, transaction, subject, stream, scan);
    });
    if (end === 'done') return;
  }
}

/**
 * Ends a scan together with its consequences, so that neither is ever seen without the other.
 * @returns `more` when items are left to remove, which another transaction has to do.
 */
export async function finishStream(
  context: SyncContext,
  transaction: Connection,
  { repository }: Subject,
  stream: StreamState,
  scan: { startedAt: Date; isFull: boolean; isDeep: boolean },
): Promise<'done' | 'more'> {
  if (scan.isFull) {
    const place = toPlace({ repository }, stream, scan);
    const kinds = stream.covers.filter((kind) => kind !== 'commit');
    // An item that could not be read may be any of those that the scan did not see, so none of them is removed.
    const hasGaps = kinds.length > 0 && (await countSkipped(transaction, place, kinds)) > 0;
    if (kinds.length > 0 && !hasGaps) {
      const end = await removeUnseen(transaction, fullScan({ repository }, stream, scan, kinds));
      if (end === 'more') return end;
    }
    await deleteSeen(transaction, repository.id, stream.name);
    await deleteSkippedBefore(transaction, place);
  }
  await completeStream(transaction, repository.id, stream.name, {
    knownUntil: scan.startedAt,
    completedAt: context.now(),
    wasFull: scan.isFull,
    wasDeep: scan.isDeep,
  });
  await adoptOrphans(transaction, repository.id);
  await recordTotalsChanged(transaction, [repository.id]);
  return 'done';
}

/** Returns the star of an account, which was given at `at`. */
export function toStar(accountId: string, at: Date): Contribution {
  return {
    kind: 'star',
    externalId: accountId,
    parentExternalId: null,
    author: accountId,
    createdAt: at,
    updatedAt: at,
    closedAt: null,
    mergedAt: null,
    answered: false,
    answeredBy: null,
    details: noDetails,
  };
}

/**
 * Stores and removes stars as the deliveries say that were recorded at `since` or later. These stars were left to the
 * list of stars while the host showed the list, or seemed to: the list of a repository without stars is empty for all
 * credentials.
 */
async function storeDeliveredStars(
  transaction: Connection,
  repositoryId: string,
  { since, seenAt }: { since: Date; seenAt: Date },
): Promise<void> {
  await takeSharedErasureLock(transaction);
  const stars = await findDeliveredStars(transaction, repositoryId, since);
  const addedStars = stars.filter(({ isStarred }) => isStarred);
  await saveContributions(transaction, {
    repositoryId,
    contributions: addedStars.map(({ externalId, at }) => toStar(externalId, at)),
    accountIds: new Map(
      addedStars.flatMap(({ externalId, accountId }) => (accountId === null ? [] : [[externalId, accountId]])),
    ),
    wholeParents: [],
    seenAt,
  });
  for (const { externalId, isStarred, at } of stars) {
    if (!isStarred) await removeStar(transaction, { repositoryId, externalId, until: at });
  }
}
