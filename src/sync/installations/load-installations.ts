import { requestListing } from '../../accounts/actor-store.ts';
import { findUsable, hideUncovered, type Owners, recordInstalled } from '../../accounts/installations/store.ts';
import { collectJob } from '../../contributions/items/jobs.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import type { Task } from '../../database/queue/queue.ts';
import type { SyncContext } from '../context.ts';
import { recordVisibility } from '../lookups/record-state.ts';

/** Gives providers the installations that the database has. */
export async function loadInstallations({
  connection,
  providers,
}: Pick<SyncContext, 'connection' | 'providers'>): Promise<void> {
  for (const [name, provider] of providers) provider.app?.use(await findUsable(connection, name));
}

/**
 * Returns tasks that load the installations before they request anything. Another node may have stored a new one, and a
 * repository that no known credential shows would be taken as absent.
 */
export function withInstallations(context: SyncContext, tasks: Record<string, Task>): Record<string, Task> {
  if ([...context.providers.values()].every(({ app }) => app === undefined)) return tasks;
  return Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => [
      name,
      {
        ...task,
        run: async (payload, signal) => {
          await loadInstallations(context);
          await task.run(payload, signal);
        },
      },
    ]),
  );
}

/** Updates which repositories are installed, and hides those that no installation covers any more. */
export async function updateInstalledRepositories(
  context: SyncContext,
  transaction: Connection,
  owners: Owners,
): Promise<void> {
  const now = context.now();
  await recordInstalled(transaction, owners, now);
  await requestListings(context, transaction, await hideUncovered(transaction, owners, now));
}

/** Updates what depends on repositories that were hidden, and queues new listings of their owners. */
async function requestListings(
  context: SyncContext,
  transaction: Connection,
  ownerIds: readonly string[],
): Promise<void> {
  await recordVisibility(context, transaction, ownerIds);
  await listAgain(context, transaction, ownerIds);
}

/**
 * Queues new listings of owners that the transaction has locked, because another credential may still show their hidden
 * repositories.
 */
export async function listAgain(
  context: SyncContext,
  transaction: Connection,
  ownerIds: readonly string[],
): Promise<void> {
  for (const ownerId of ownerIds) await requestListing(transaction, ownerId, context.now());
  // After all accounts, because other transactions that have locked an account add its jobs.
  for (const ownerId of ownerIds) await addJob(transaction, collectJob(ownerId));
}
