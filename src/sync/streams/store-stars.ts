import { saveContributions } from '../../contributions/items/contribution-store.ts';
import { findDeliveredStars, removeStar } from '../../contributions/items/star-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { takeSharedErasureLock } from '../../database/schema/erasure-lock.ts';
import { type Contribution, noDetails } from '../../model/contribution.ts';

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
export async function storeDeliveredStars(
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
