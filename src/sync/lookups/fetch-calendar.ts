import { findById } from '../../accounts/store.ts';
import { removeReportedCalendar, saveReportedCalendar } from '../../contributions/calendar/calendar-store.ts';
import { calendarJob } from '../../contributions/items/jobs.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { announce } from '../../database/queue/announcements.ts';
import { completeLookup, failLookup } from '../../database/queue/lookups.ts';
import { takeSharedErasureLock } from '../../database/schema/erasure-lock.ts';
import type { Call } from '../../hosts/interface/provider.ts';
import type { SyncContext } from '../context.ts';
import { runLookup } from './look-up.ts';

/**
 * Fetches a user's calendar and stores it. After a failure the stored one stays; when the provider shows none any more,
 * it is removed.
 */
export async function fetchCalendar(context: SyncContext, accountId: string, call: Call): Promise<void> {
  const { connection, freshForMs, now } = context;
  const account = await findById(connection, accountId);
  const provider = context.providers.get(account?.provider ?? '');
  const job = calendarJob(accountId);
  const { key } = job;
  if (account?.type !== 'user' || provider?.accounts.fetchCalendar === undefined || account.pinned) {
    await completeLookup(connection, key);
    return;
  }
  await runLookup(context, job, call, async () => {
    const fetchedAt = now();
    const calendar = (await provider.accounts.fetchCalendar?.(account, call)) ?? null;
    await inTransaction(connection, async (transaction) => {
      // The erasure lock keeps this from storing data of an account that was erased meanwhile.
      await takeSharedErasureLock(transaction);
      if (calendar === null) {
        await removeReportedCalendar(transaction, accountId);
        const until = new Date(now().getTime() + freshForMs);
        await failLookup(transaction, key, { state: 'absent' }, until);
      } else {
        await saveReportedCalendar(transaction, accountId, { ...calendar, fetchedAt });
      }
      await announce(transaction, { kind: 'account', key: accountId });
    });
    return calendar === null ? undefined : accountId;
  });
}
