import type { InstallationReference } from '../../accounts/installations/jobs.ts';
import { findInstallation } from '../../accounts/installations/store.ts';
import { findKnown, requestListing } from '../../accounts/mentions/mention-store.ts';
import { collectJob } from '../../contributions/items/jobs.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import type { Call } from '../../hosts/interface/provider.ts';
import type { SyncContext } from '../context.ts';
import { lookUp } from '../lookups/look-up.ts';

/** Queues the collecting of everything that an installation shows. */
export async function welcome(
  context: SyncContext,
  { provider, installation: id }: InstallationReference,
  call: Call,
): Promise<void> {
  const { connection, now } = context;
  const installation = await findInstallation(connection, provider, id);
  if (installation === undefined) return;
  const { externalId, name } = installation.account;
  const known = await findKnown(connection, { provider, externalId, name });
  if (known === undefined || known.fetchedAt === null) await lookUp(context, { provider, name }, call);
  // Another account may have the name by now; the next update of the installations brings the right name.
  const account = await findKnown(connection, { provider, externalId, name });
  if (account === undefined) return;
  await inTransaction(connection, async (transaction) => {
    await requestListing(transaction, account.id, now());
    await addJob(transaction, collectJob(account.id));
  });
}
