import type { AccountRouteContext, AskedAccount } from '../accounts/routes.ts';
import { findOutcome } from '../database/questions.ts';
import { findCollection } from './collection-store.ts';
import { collectJob } from './jobs.ts';

/**
 * Has an account's repositories listed and read: when they never were, waiting for the list until the deadline; when the
 * list is old or the reading unfinished, behind the answer.
 * @returns when they were last listed; null while they never were.
 * @throws AppError when listing them failed and nothing is stored to answer from.
 */
export async function awaitListing(
  { connection, resolver, now }: Pick<AccountRouteContext, 'connection' | 'resolver' | 'now'>,
  { account, deadline }: Pick<AskedAccount, 'account' | 'deadline'>,
): Promise<Date | null> {
  const job = collectJob(account.id);
  const { listedAt, isUnfinished } = await findCollection(connection, account.id, { withPrivate: true });
  if (account.pinned) return listedAt;
  if (listedAt !== null) {
    if (isUnfinished || resolver.isStale(listedAt)) resolver.askInBackground(job);
    return listedAt;
  }
  const outcome = await findOutcome(connection, job.key, now());
  if (outcome?.state === 'failed') throw outcome.error;
  const find = async (): Promise<Date | undefined> =>
    (await findCollection(connection, account.id)).listedAt ?? undefined;
  await resolver.askAndWait(job, deadline, find);
  return (await find()) ?? null;
}
