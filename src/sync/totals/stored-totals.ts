import { refreshJob } from '../../accounts/jobs.ts';
import { findById } from '../../accounts/store.ts';
import { recordPrivateCounters } from '../../contributions/present-counters.ts';
import { findHistory, saveCounters } from '../../contributions/totals/counter-store.ts';
import { countStored } from '../../contributions/totals/private-store.ts';
import {
  type ChangedContributor,
  deleteUncounted,
  recordContributorsOfChanged,
  takeChangedContributors,
} from '../../contributions/totals/update-queue-store.ts';
import { wantTotals } from '../../contributions/totals/wanted-totals-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { inBatches, inTransaction } from '../../database/connections/transaction.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import { announce } from '../../database/queue/announcements.ts';
import type { Account } from '../../model/account.ts';
import { type CounterName, type Counters, counterNames } from '../../model/counters.ts';
import { listNeeds } from '../../model/kinds.ts';
import type { SyncContext } from '../context.ts';

const peopleAtOnce = 20;
/** The most contributors to a repository that one transaction records after its visibility or owner has changed. */
const recordedAtOnce = 1000;
/** The most batches of one job, after which it lets other jobs run. */
const maxRounds = 100;

/**
 * Returns a user's public lifetime totals from stored data, for counters that the provider cannot report. These
 * counters stay named as missing, because the host may have more contributions.
 */
export async function sumMissing(
  { providers }: Pick<SyncContext, 'providers'>,
  transaction: Connection,
  { provider, id }: { provider: string; id: string },
  missing: readonly CounterName[],
): Promise<Partial<Counters>> {
  if (providers.get(provider)?.accounts.reportsTotals !== false) return {};
  const { counters: stored } = await countStored(transaction, id, 'public');
  // Stars come with the listing of the user's repositories, which may not be read yet.
  return Object.fromEntries(missing.filter((name) => name !== 'stars').map((name) => [name, stored[name]]));
}

/** Counters that follow from contributions of the kinds that every code host has. */
const ofContributions = counterNames.filter((name) => {
  const needs = listNeeds(name);
  return needs.length > 0 && !needs.includes('discussion');
});

/**
 * Updates from stored data the counters of a user that the provider cannot report.
 * @returns whether these are all counters that contributions change, so that the code host reports none of them.
 */
export async function recordStoredTotals(
  context: Pick<SyncContext, 'now' | 'providers'>,
  transaction: Connection,
  user: { provider: string; id: string },
): Promise<boolean> {
  const [day] = await findHistory(transaction, user.id, { limit: 1 });
  if (day === undefined) return false;
  const counters = await sumMissing(context, transaction, user, day.missing);
  if (Object.keys(counters).length === 0) return false;
  await saveCounters(transaction, user.id, { counters, missing: day.missing, fetchedAt: context.now() });
  return ofContributions.every((name) => name in counters);
}

/**
 * The delay, in ms, before a refresh: a code host needs a moment until its own totals hold the latest contributions,
 * and an account that contributes all the time is refreshed at this interval.
 */
const refreshDelayMs = 10_000;

/** Queues a refresh of an account whose contributions changed. */
async function requestRefresh(
  { now, providers }: Pick<SyncContext, 'now' | 'providers'>,
  transaction: Connection,
  { id, provider, pinned }: Account,
): Promise<void> {
  if (pinned || !providers.has(provider)) return;
  const runAt = new Date(now().getTime() + refreshDelayMs);
  await addJob(transaction, { ...refreshJob(id), runAt, keepsRunAt: true });
}

/**
 * Has the totals that the host reports of a user fetched again, all years of them, after a repository was shown or hidden
 * that may count for the user. The transaction must have locked the account.
 */
export async function wantReported(
  context: Pick<SyncContext, 'now' | 'providers'>,
  transaction: Connection,
  account: Account,
): Promise<void> {
  const { id, provider, type, pinned, fetchedAt } = account;
  const isReported = type !== 'organization' && !pinned && fetchedAt !== null;
  if (!isReported || context.providers.get(provider)?.accounts.reportsTotals !== true) return;
  await wantTotals(transaction, id, context.now());
  await requestRefresh(context, transaction, account);
}

/**
 * Updates all accounts whose stored contributions changed, in repositories of any owner: summed totals at once, and
 * those that the code host reports by a request soon.
 * @returns `more` when accounts are left.
 */
export async function updateTotals(context: SyncContext): Promise<'done' | 'more'> {
  const recorded = await recordContributors(context);
  const deleted = await inBatches(() => deleteUncounted(context.connection));
  for (let round = 0; round < maxRounds; round += 1) {
    const updated = await inTransaction(context.connection, (transaction) => updateSome(context, transaction));
    if (updated === 0) return deleted === 'more' ? 'more' : recorded;
  }
  return 'more';
}

/** Records the contributors to all repositories that became visible, hidden or another account's. */
async function recordContributors({ connection }: SyncContext): Promise<'done' | 'more'> {
  for (let round = 0; round < maxRounds; round += 1) {
    if (!(await recordContributorsOfChanged(connection, recordedAtOnce))) return 'done';
  }
  return 'more';
}

/** Updates some accounts within the surrounding transaction. @returns how many. */
async function updateSome(context: SyncContext, transaction: Connection): Promise<number> {
  const changed = await takeChangedContributors(transaction, peopleAtOnce);
  for (const person of changed) await updateOne(context, transaction, person);
  return changed.length;
}

async function updateOne(
  context: SyncContext,
  transaction: Connection,
  { accountId, isUpdate, isVisibility }: ChangedContributor,
): Promise<void> {
  const account = await findById(transaction, accountId);
  if (account === undefined) return;
  const isSummed = await recordStoredTotals(context, transaction, account);
  if (isVisibility) await wantReported(context, transaction, account);
  await recordPrivateCounters(transaction, account);
  await announce(transaction, { kind: 'account', key: account.id });
  if (isUpdate && !isSummed) await requestRefresh(context, transaction, account);
}
