import { checkAccessJob } from '../../../accounts/jobs.ts';
import type { LoadServices } from '../../../accounts/resolve.ts';
import { findOutcome } from '../../../database/queue/lookups.ts';
import type { LookupTerms } from '../../../http/pipeline/endpoint.ts';
import type { Account } from '../../../model/account.ts';
import { countsSince, findUnchecked } from './access-store.ts';

/**
 * Checks at the host the private repositories that the account may see, before awards from them are shown. Waits until the
 * deadline; awards from repositories that are not checked by then are not shown.
 */
export async function awaitAccess(
  { connection, resolver, now }: Pick<LoadServices, 'connection' | 'resolver' | 'now'>,
  { id, pinned }: Account,
  terms: LookupTerms,
): Promise<void> {
  const isKnown = async (): Promise<true | undefined> => {
    const unchecked = await findUnchecked(connection, id, { since: countsSince(now()), limit: 1 });
    return unchecked.length === 0 ? true : undefined;
  };
  if (pinned || (await isKnown())) return;
  const job = checkAccessJob(id);
  const failed = await findOutcome(connection, job.key, now());
  if (failed === undefined) await resolver.requestAndWait(job, terms, isKnown);
}
