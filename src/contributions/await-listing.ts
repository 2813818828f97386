import type { AccountRouteContext, AskedAccount } from '../accounts/routes.ts';
import { findOutcome } from '../database/questions.ts';
import { type Collection, findCollection } from './collection-store.ts';
import { collectJob } from './jobs.ts';

/** How much is known of the contributions to what an account owns, once that is listed. */
export interface ListedCollection extends Collection {
  listedAt: Date;
}

/**
 * Has an account's repositories listed and read: when they never were, waiting for the list until the deadline; when the
 * list is old or the reading unfinished, behind the answer.
 * @returns what is known by then, of private repositories too for their owner; undefined while they never were listed.
 * @throws AppError when listing them failed and nothing is stored to answer from.
 */
export async function awaitListing(
  { connection, resolver, now }: Pick<AccountRouteContext, 'connection' | 'resolver' | 'now'>,
  { account, deadline, isOwner }: Pick<AskedAccount, 'account' | 'deadline' | 'isOwner'>,
): Promise<ListedCollection | undefined> {
  const job = collectJob(account.id);
  const find = async (): Promise<ListedCollection | undefined> => {
    const { listedAt, ...collection } = await findCollection(connection, account.id, { withPrivate: isOwner });
    return listedAt === null ? undefined : { listedAt, ...collection };
  };
  const known = await find();
  if (account.pinned) return known;
  if (known !== undefined) {
    if (known.isUnfinished || resolver.isStale(known.listedAt)) resolver.askInBackground(job);
    return known;
  }
  const outcome = await findOutcome(connection, job.key, now());
  if (outcome?.state === 'failed') throw outcome.error;
  await resolver.askAndWait(job, deadline, find);
  return find();
}
