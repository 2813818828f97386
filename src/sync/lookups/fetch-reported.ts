import { findById } from '../../accounts/store.ts';
import { removeReportedCalendar, saveReportedCalendar } from '../../contributions/calendar/calendar-store.ts';
import {
  calendarJob,
  fetchReportedTotalsJob,
  fetchWindowJob,
  type WindowOfAccount,
} from '../../contributions/items/jobs.ts';
import { recordPrivateCounters } from '../../contributions/present-counters.ts';
import {
  deleteReportedTotals,
  findReportedTotals,
  saveReportedTotals,
} from '../../contributions/totals/private-store.ts';
import { saveReportedWindow } from '../../contributions/windows/counted-window-store.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { announce } from '../../database/queue/announcements.ts';
import { completeLookup, failLookup, renewLookup } from '../../database/queue/lookups.ts';
import { takeSharedErasureLock } from '../../database/schema/erasure.ts';
import type { AccountReport, Call, KnownAccount, Provider } from '../../hosts/interface/provider.ts';
import { AppError } from '../../model/errors.ts';
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
    await deleteReportedTotals(connection, accountId, provider.privateData?.credentialNames() ?? []);
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
