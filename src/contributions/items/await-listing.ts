import type { LoadServices } from '../../accounts/resolve.ts';
import { findOutcome } from '../../database/queue/lookups.ts';
import type { ResolvedAccount } from '../../http/pipeline/endpoint.ts';
import { type Collection, findCollection } from './collection-store.ts';
import { collectJob } from './jobs.ts';

/** The state of collecting the contributions to an account's repositories, which were listed at least once. */
interface ListedCollection extends Collection {
  listedAt: Date;
}

/**
 * Makes sure that an account's repositories are listed and read. Waits for the listing until the deadline when none is
 * stored; when the list is stale or the reading unfinished, requests both in the background.
 * @returns the state of collecting; for the owner it includes private repositories. Undefined while no listing is
 *   stored.
 * @throws AppError when the listing failed and none is stored.
 */
export async function awaitListing(
  { connection, resolver, now }: Pick<LoadServices, 'connection' | 'resolver' | 'now'>,
  { account, isOwner, ...terms }: Pick<ResolvedAccount, 'account' | 'deadline' | 'requester' | 'isOwner'>,
): Promise<ListedCollection | undefined> {
  const job = collectJob(account.id);
  const find = async (): Promise<ListedCollection | undefined> => {
    const { listedAt, ...collection } = await findCollection(connection, account.id, { withPrivate: isOwner });
    return listedAt === null ? undefined : { listedAt, ...collection };
  };
  const known = await find();
  if (account.pinned) return known;
  if (known !== undefined) {
    if (known.isUnfinished || resolver.isStale(known.listedAt)) resolver.requestInBackground(job);
    return known;
  }
  const outcome = await findOutcome(connection, job.key, now());
  if (outcome?.state === 'failed') throw outcome.error;
  return resolver.requestAndWait(job, terms, find);
}
