import { findById } from '../../accounts/store.ts';
import { fetchWindowJob, type WindowOfAccount } from '../../contributions/items/jobs.ts';
import { saveReportedWindow } from '../../contributions/windows/reported-window-store.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { announce } from '../../database/queue/announcements.ts';
import { completeLookup, failLookup } from '../../database/queue/lookups.ts';
import { takeSharedErasureLock } from '../../database/schema/erasure-lock.ts';
import type { Call } from '../../hosts/interface/provider.ts';
import type { SyncContext } from '../context.ts';
import { runLookup } from './look-up.ts';

/** Fetches a user's counters of a range of days and stores them; after a failure those that are stored stay. */
export async function fetchWindow(context: SyncContext, range: WindowOfAccount, call: Call): Promise<void> {
  const { connection, freshForMs, now } = context;
  const { accountId } = range;
  const account = await findById(connection, accountId);
  const provider = context.providers.get(account?.provider ?? '');
  const job = fetchWindowJob(range);
  const { key } = job;
  if (account?.type !== 'user' || provider?.accounts.countDays === undefined || account.pinned) {
    await completeLookup(connection, key);
    return;
  }
  await runLookup(context, job, call, async () => {
    const fetchedAt = now();
    const counters = (await provider.accounts.countDays?.(account, range, call)) ?? null;
    await inTransaction(connection, async (transaction) => {
      // The erasure lock keeps this from storing data of an account that was erased meanwhile.
      await takeSharedErasureLock(transaction);
      if (counters === null) {
        await failLookup(transaction, key, { state: 'absent' }, new Date(now().getTime() + freshForMs));
      } else {
        await saveReportedWindow(transaction, accountId, range, { counters, fetchedAt });
      }
      await announce(transaction, { kind: 'account', key: accountId });
    });
    return counters === null ? undefined : accountId;
  });
}
