import { forgetReportedTotals } from '../contributions/private-store.ts';
import { inTransaction } from '../database/transaction.ts';
import { endAppInstallations } from '../installations/store.ts';
import { hideWithoutAccess } from '../repositories/hide-store.ts';
import type { SyncContext } from './context.ts';
import { updateInstalledRepositories } from './installations/settle.ts';
import { recordVisibility } from './record-state.ts';

/**
 * Hides repositories that only credentials show which are not configured any more, because the operator took the
 * permission back. Must be called after the providers have their installations.
 */
export async function hideLostRepositories(context: SyncContext): Promise<void> {
  for (const [name, provider] of context.providers) {
    await inTransaction(context.connection, async (transaction) => {
      const now = context.now();
      if (provider.app === undefined && (await endAppInstallations(transaction, name, now))) {
        await updateInstalledRepositories(context, transaction, { everyInstalledOn: name });
      }
      const credentialNames = provider.privateData?.credentialNames() ?? [];
      const owners = await hideWithoutAccess(transaction, name, credentialNames, now);
      for (const ownerId of owners) await recordVisibility(context, transaction, ownerId);
      await forgetReportedTotals(transaction, name, credentialNames);
    });
  }
}
