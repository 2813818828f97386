import { findById } from '../../accounts/store.ts';
import { fetchReportedTotalsJob } from '../../contributions/items/jobs.ts';
import { recordPrivateCounters } from '../../contributions/private-counters.ts';
import {
  findReportedTotals,
  forgetReportedTotals,
  saveReportedTotals,
} from '../../contributions/totals/private-store.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { announce } from '../../database/queue/announcements.ts';
import { completeLookup, renewLookup } from '../../database/queue/lookups.ts';
import type { AccountReport, Call, KnownAccount, Provider } from '../../hosts/interface/provider.ts';
import { AppError } from '../../model/errors.ts';
import type { SyncContext } from '../context.ts';
import { runLookup } from './look-up.ts';

/** Fetches a user's lifetime totals once with each credential that may see private data. */
export async function fetchReportedTotals(context: SyncContext, accountId: string, call: Call): Promise<void> {
  const { connection } = context;
  const account = await findById(connection, accountId);
  const provider = context.providers.get(account?.provider ?? '');
  const job = fetchReportedTotalsJob(accountId);
  const { key } = job;
  if (account?.type !== 'user' || provider === undefined || account.pinned) {
    await completeLookup(connection, key);
    return;
  }
  await runLookup(context, job, call, async () => {
    const credentialNames = provider.privateData?.credentialNames(account) ?? [];
    const known = await findReportedTotals(connection, accountId);
    for (const credentialName of credentialNames) {
      const memory = known.find((seen) => seen.credentialName === credentialName)?.memory ?? null;
      const report = await lastReport(provider, { ...account, memory }, { ...call, credentialName });
      const fetchedAt = context.now();
      await inTransaction(connection, async (transaction) => {
        await saveReportedTotals(transaction, accountId, { credentialName, fetchedAt, ...report });
        await recordPrivateCounters(transaction, account);
        await announce(transaction, { kind: 'account', key: accountId });
      });
      await renewLookup(connection, key, fetchedAt);
    }
    await forgetReportedTotals(connection, accountId, provider.privateData?.credentialNames() ?? []);
    return accountId;
  });
}

/** Returns the last report, or an empty one when the credential is not accepted any more or the account is deleted. */
async function lastReport(
  provider: Provider,
  account: KnownAccount,
  call: Call,
): Promise<Pick<AccountReport, 'counters' | 'missing' | 'memory'>> {
  let last: Pick<AccountReport, 'counters' | 'missing' | 'memory'> = { counters: {}, missing: [], memory: null };
  try {
    for await (const { counters, missing, memory } of provider.privateData?.fetchTotals?.(account, call) ?? []) {
      last = { counters, missing, memory };
    }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'provider_denied') throw error;
  }
  return last;
}
