import { welcomeJob } from '../../accounts/installations/jobs.ts';
import { findUnseen, saveInstallations, saveSelection } from '../../accounts/installations/store.ts';
import { acceptCredentials } from '../../accounts/repositories/hide-store.ts';
import { findOptedOutIds } from '../../accounts/visibility/opt-out-store.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import { takeSharedErasureLock } from '../../database/schema/erasure.ts';
import type { InstallableApp, Installation } from '../../hosts/interface/installation.ts';
import type { Call } from '../../hosts/interface/provider.ts';
import { AppError } from '../../model/errors.ts';
import type { SyncContext } from '../context.ts';
import { endWaitsJob } from '../lookups/end-waits.ts';
import { loadInstallations, updateInstalledRepositories } from './load-installations.ts';

/** The most pages of an installation's repositories: a hundred thousand repositories. */
const maxPages = 1000;

interface ReconciledProvider {
  provider: string;
  app: InstallableApp;
  call: Call;
}

/**
 * Fetches a provider's installations and the repositories that they cover, and updates everything that depends on them.
 * It may be killed between any two steps: a change and its consequences are stored in one transaction, and the job runs
 * again.
 */
export async function reconcile(context: SyncContext, target: ReconciledProvider): Promise<void> {
  const { provider, app, call } = target;
  const requestedAt = context.now();
  const reported = await app.installations(call);
  const installations = await saveReported(context, provider, reported, requestedAt);
  await loadInstallations(context);
  for (const installation of installations) {
    if (installation.suspendedAt !== null) continue;
    if (installation.covers === 'selected') await followSelection(context, target, installation);
  }
  await inTransaction(context.connection, async (transaction) => {
    // Installations whose account is not collected yet, or was not listed for a while: it may have changed without a
    // delivery.
    const before = new Date(context.now().getTime() - context.freshForMs);
    for (const installation of await findUnseen(transaction, provider, before)) {
      await addJob(transaction, welcomeJob({ provider, installation }));
    }
  });
}

/**
 * Stores installations, except those of accounts that opted out.
 * @returns the stored ones.
 */
async function saveReported(
  context: SyncContext,
  provider: string,
  reported: readonly Installation[],
  requestedAt: Date,
): Promise<Installation[]> {
  const saved = await inTransaction(context.connection, async (transaction) => {
    await takeSharedErasureLock(transaction);
    const accounts = reported.map(({ account }) => account.externalId);
    const optedOut = await findOptedOutIds(transaction, provider, accounts);
    const accepted = reported.filter(({ account }) => !optedOut.includes(account.externalId));
    const changed = await saveInstallations(transaction, provider, accepted, requestedAt);
    const living = accepted.filter(({ suspendedAt }) => suspendedAt === null);
    await acceptCredentials(
      transaction,
      provider,
      living.map(({ credentialName }) => credentialName),
    );
    await updateInstalledRepositories(context, transaction, { everyInstalledOn: provider });
    for (const { id } of changed) await addJob(transaction, welcomeJob({ provider, installation: id }));
    if (changed.length > 0) await addJob(transaction, endWaitsJob);
    return { wanted: accepted, changed };
  });
  for (const installation of saved.wanted) {
    const isNew = saved.changed.some(({ id }) => id === installation.externalId);
    if (isNew && installation.missingPermissions.length > 0) reportMissing(context, installation);
  }
  return saved.wanted;
}

/** Reads which repositories are selected. An installation that the provider denies does not hold up the others. */
async function followSelection(
  context: SyncContext,
  { provider, app, call }: ReconciledProvider,
  installation: Installation,
): Promise<void> {
  const requestedAt = context.now();
  const repositories: string[] = [];
  try {
    let cursor: string | null = null;
    for (let pages = 0; pages === 0 || (cursor !== null && pages < maxPages); pages += 1) {
      const page = await app.coveredRepositories(installation, cursor, call);
      repositories.push(...page.repositories);
      cursor = page.nextCursor;
    }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'provider_denied') throw error;
    // The account has just suspended or removed the installation: a delivery or the next run shows that.
    context.onFailure(error, 'listing the repositories of an installation');
    return;
  }
  const reference = { provider, installation: installation.externalId };
  await inTransaction(context.connection, async (transaction) => {
    if (!(await saveSelection(transaction, reference, [...new Set(repositories)], requestedAt))) return;
    await updateInstalledRepositories(context, transaction, { provider, account: installation.account.externalId });
    await addJob(transaction, welcomeJob(reference));
  });
}

function reportMissing({ onFailure }: SyncContext, { externalId, missingPermissions }: Installation): void {
  const missing = missingPermissions.join(', ');
  const message = `Installation ${externalId} was not given what the service needs: ${missing}.`;
  onFailure(new AppError('provider_denied', message), 'reading everything that is installed');
}
