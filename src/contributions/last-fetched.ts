import type { RouteServices } from '../accounts/resolve.ts';
import { findOutcome } from '../database/queue/lookups.ts';
import type { ResolvedAccount } from '../http/pipeline/endpoint.ts';
import { findCollection } from './items/collection-store.ts';
import { collectJob, fetchReportedTotalsJob } from './items/jobs.ts';
import { findReportedTotals } from './totals/private-store.ts';

/** Returns when the data behind the counters was last fetched; requests it again in the background when that is due. */
export async function lastFetched(
  { connection, resolver, now }: RouteServices,
  { account, provider, requester }: ResolvedAccount,
  { includesPrivate, isCollected }: { includesPrivate: boolean; isCollected: boolean },
): Promise<Date> {
  const asOf = account.fetchedAt ?? now();
  // A user's public counters come from the provider, if it reports them; all others are counted from collected
  // contributions.
  const isReported = account.type !== 'organization' && provider.accounts.reportsTotals;
  if (isReported && !includesPrivate && !isCollected) return asOf;
  const { listedAt, isUnfinished } = await findCollection(connection, account.id, {
    withPrivate: includesPrivate,
  });
  const isDue = isUnfinished || resolver.isStale(listedAt);
  if (isDue && !account.pinned) {
    // The first listing counts as a lookup of the requester; later ones are refreshes.
    resolver.requestInBackground(collectJob(account.id), listedAt === null ? requester : undefined);
  }
  return listedAt !== null && listedAt < asOf ? listedAt : asOf;
}

/**
 * Makes sure that the totals that the provider's credentials see are stored. Waits until the deadline when those of a
 * credential are not; refreshes stale ones in the background.
 */
export async function loadPrivateTotals(
  { connection, resolver, now }: RouteServices,
  { account, provider, ...terms }: ResolvedAccount,
): Promise<void> {
  const credentialNames = provider.privateData?.credentialNames(account) ?? [];
  if (account.type !== 'user' || account.pinned || credentialNames.length === 0) return;
  const stored = await findReportedTotals(connection, account.id);
  const job = fetchReportedTotalsJob(account.id);
  const isUnknown = credentialNames.some(
    (credentialName) => !stored.some((totals) => totals.credentialName === credentialName),
  );
  if (isUnknown) {
    const outcome = await findOutcome(connection, job.key, now());
    if (outcome === undefined) await resolver.requestAndWait(job, terms, async () => undefined);
  } else if (stored.some(({ fetchedAt }) => resolver.isStale(fetchedAt))) resolver.requestInBackground(job);
}
