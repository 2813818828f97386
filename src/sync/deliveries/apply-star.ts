import { saveActors } from '../../accounts/actor-store.ts';
import type { Repository } from '../../accounts/repositories/store.ts';
import { removeStar, saveStarEvent } from '../../contributions/items/star-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import type { Change } from '../../hosts/interface/provider.ts';
import type { SyncContext } from '../context.ts';
import { ActorsOfScan } from '../streams/actors-of-scan.ts';
import { savePage } from '../streams/read-stream.ts';
import { isStreamShown, requestScanFor } from '../streams/removal-store.ts';
import { toStar } from '../streams/store-stars.ts';

/** The time, in ms, for which star deliveries are remembered. An older delivery cannot be put in order any more. */
export const starEventsKeptMs = 30 * 86_400_000;

/**
 * Stores the people who gave stars, and locks them with the owners of the repositories, before `applyStar` stores the
 * stars one after the other: a transaction locks all accounts at once.
 */
export async function saveStarGivers(
  context: SyncContext,
  transaction: Connection,
  stars: readonly { repository: Repository; change: Extract<Change, { type: 'star' }> }[],
): Promise<void> {
  const now = context.now();
  const addedStars = stars.filter(
    ({ repository, change }) => !change.isTakenBack && isCounted(repository, change, now),
  );
  for (const [provider, ofProvider] of Map.groupBy(addedStars, ({ repository }) => repository.provider)) {
    const givers = new Map(ofProvider.map(({ change: { account } }) => [account.externalId, account]));
    const alsoLocked = ofProvider.map(({ repository }) => repository.ownerId);
    await saveActors(transaction, provider, [...givers.values()], {
      mentionedAt: now,
      newId: context.newId,
      alsoLocked,
    });
  }
}

function isCounted({ installedAt }: Repository, { at }: { at: string }, now: Date): boolean {
  return installedAt !== null && !(new Date(at).getTime() + starEventsKeptMs < now.getTime());
}

/**
 * Stores or removes a star as a delivery says, where its host does not show the list of stars, so that deliveries are
 * their only source. Otherwise the list decides. Only installed repositories have stars stored.
 * @returns true when the contributions to the repository may have changed.
 */
export async function applyStar(
  context: SyncContext,
  transaction: Connection,
  repository: Repository,
  change: Extract<Change, { type: 'star' }>,
): Promise<boolean> {
  const { account, isTakenBack } = change;
  const now = context.now();
  const at = new Date(change.at);
  if (!isCounted(repository, change, now)) return false;
  const star = { repositoryId: repository.id, externalId: account.externalId };
  const state = await saveStarEvent(transaction, { ...star, at, isTakenBack }, now);
  if (await isStreamShown(transaction, repository.id, 'stars')) {
    // The read of the list may find that it is withheld, and then stores the star of the delivery.
    await saveActors(transaction, repository.provider, [account], { mentionedAt: now, newId: context.newId });
    if (!state.isStarred) await requestScanFor(transaction, { ...star, kind: 'star' }, now);
    return false;
  }
  if (state.isStarred) {
    const page = {
      contributions: [toStar(account.externalId, state.at)],
      actors: [account],
      wholeParents: [],
      nextCursor: null,
      total: null,
      pageSize: 0,
    };
    await savePage(context, transaction, {
      repository,
      page,
      requestedAt: now,
      seenAt: now,
      actors: new ActorsOfScan(),
    });
  } else {
    await removeStar(transaction, { ...star, until: state.at });
    await requestScanFor(transaction, { ...star, kind: 'star' }, now);
  }
  return true;
}
