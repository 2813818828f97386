import { lookUpJob, type NameOnProvider, refreshJob, withUrgency } from '../../accounts/jobs.ts';
import { findById, findByName, keepFormerName, lockAccount, saveAccount, saveRedirect } from '../../accounts/store.ts';
import { markDeleted, markHidden } from '../../accounts/visibility/check-store.ts';
import { addOptOuts, findOptedOutIds, isNameOptedOut } from '../../accounts/visibility/opt-out-store.ts';
import { collectRepositoryJob } from '../../contributions/items/jobs.ts';
import { recordPrivateCounters } from '../../contributions/present-counters.ts';
import { findHistory, saveCounters } from '../../contributions/totals/counter-store.ts';
import { findExcess, findOverstated } from '../../contributions/totals/overstated-store.ts';
import { countStored } from '../../contributions/totals/private-store.ts';
import { settleTotals } from '../../contributions/totals/wanted-totals-store.ts';
import { inOneTransaction, inTransaction } from '../../database/connections/transaction.ts';
import { addJob, type Job } from '../../database/queue/added-jobs.ts';
import { announce } from '../../database/queue/announcements.ts';
import {
  claimLookupWithin,
  completeLookup,
  delayLookup,
  failLookup,
  renewLookup,
} from '../../database/queue/lookups.ts';
import { takeSharedErasureLock } from '../../database/schema/erasure.ts';
import type { AccountReport, Call } from '../../hosts/interface/provider.ts';
import { type Account, nameKey } from '../../model/account.ts';
import { AppError } from '../../model/errors.ts';
import type { SyncContext } from '../context.ts';
import { replaceSkips, SkipCollector } from '../streams/skips.ts';
import { findOverfull, wantFullScan } from '../streams/stream-store.ts';
import { sumMissing } from '../totals/stored-totals.ts';

/** The interval, in ms, at which a list is read whole that never agrees with the host's count. */
const repeatedAfterMs = 86_400_000;
/** The most repositories that one refresh has read again. */
const maxRepositories = 100;

/**
 * Fetches accounts by name and refreshes stored ones, and ends lookups of every kind: completed, delayed or failed.
 */

/** The time, in ms, for which a failed lookup is not repeated when the provider named none. */
const delayAfterFailureMs = 10_000;

/**
 * Looks up a name at its provider, stores the result, and ends the lookup, also when it fails.
 * @returns the account's id, or undefined when there is no such account.
 */
export async function lookUp(context: SyncContext, requested: NameOnProvider, call: Call): Promise<string | undefined> {
  const job = lookUpJob(requested);
  const { key } = job;
  const provider = context.providers.get(requested.provider);
  if (provider === undefined) return undefined;
  return runLookup(context, job, call, async () => {
    const known = await findByName(context.connection, requested.provider, requested.name);
    // The caller may have read the database just before another process completed the lookup.
    if (known?.state === 'present' && isFresh(context, known.account)) return known.account.id;
    const isUnwanted = (): Promise<boolean> => isNameOptedOut(context.connection, requested.provider, requested.name);
    const mentioned = known?.state === 'present' ? known.account : undefined;
    if (!(await isUnwanted())) {
      const skips = new SkipCollector(call);
      const source = { provider: requested.provider, key, name: requested.name, skips };
      const id = await saveReports(context, source, provider.accounts.lookUp(requested.name, skips.call));
      if (id !== undefined) {
        await refreshOther(context, mentioned, id);
        return id;
      }
      const renamed = await followMentioned(context, requested, mentioned, call);
      if (renamed !== undefined) return renamed;
    }
    // The lookup may also have found an account whose owner opted out under another name.
    if (await isUnwanted()) {
      await completeLookup(context.connection, key);
      return undefined;
    }
    const until = new Date(context.now().getTime() + context.freshForMs);
    await inOneTransaction(context.connection, async (transaction) => {
      await keepFormerName(transaction, requested.provider, requested.name, until);
      await failLookup(transaction, key, { state: 'absent' }, until);
    });
    return undefined;
  });
}

/**
 * Fetches an account that is stored by a mention alone, under a name that the host does not know. A renamed account is
 * found by its immutable id; a deleted one is hidden. An account that its host hides stays as it is.
 */
async function followMentioned(
  context: SyncContext,
  { provider: providerName, name }: NameOnProvider,
  mentioned: Account | undefined,
  call: Call,
): Promise<string | undefined> {
  const provider = context.providers.get(providerName);
  if (provider === undefined || mentioned === undefined || mentioned.hiddenByHost) return undefined;
  const skips = new SkipCollector(call);
  const source = { provider: providerName, key: lookUpJob({ provider: providerName, name }).key, name, skips };
  const id = await saveReports(context, source, provider.accounts.refresh(mentioned, skips.call));
  if (id === undefined) await hide(context, mentioned);
  return id;
}

/** Queues a refresh of a stored account whose name belongs to another account by now. */
async function refreshOther(context: SyncContext, mentioned: Account | undefined, id: string): Promise<void> {
  if (mentioned === undefined || mentioned.id === id) return;
  const { connection, now } = context;
  await inTransaction(connection, (transaction) => claimLookupWithin(transaction, refreshJob(mentioned.id), now()));
}

function isFresh({ freshForMs, now }: SyncContext, { fetchedAt }: Account): boolean {
  return fetchedAt !== null && fetchedAt.getTime() + freshForMs > now().getTime();
}

/**
 * Fetches a stored account again; hides it when the provider does not know it any more. A limit of the host fails the
 * refresh: the next request for the account repeats it, so that it takes no place among the delayed lookups.
 */
export async function refresh(context: SyncContext, accountId: string, call: Call): Promise<void> {
  const job = refreshJob(accountId);
  const { key } = job;
  const account = await findById(context.connection, accountId);
  const provider = context.providers.get(account?.provider ?? '');
  if (account === undefined || provider === undefined || account.pinned) {
    await completeLookup(context.connection, key);
    return;
  }
  const work = async (): Promise<string | undefined> => {
    const skips = new SkipCollector(call);
    const reports = provider.accounts.refresh(account, skips.call);
    const id = await saveReports(context, { provider: account.provider, key, skips }, reports);
    if (id === undefined) await hide(context, account, key);
    return id;
  };
  await runLookup(context, job, call, work, recordFailure);
}

/** Runs the work of one lookup, and ends the lookup with its result. */
export async function runLookup(
  context: SyncContext,
  job: Job,
  call: Call,
  work: () => Promise<string | undefined>,
  record = recordLookupFailure,
): Promise<string | undefined> {
  try {
    const id = await work();
    if (id !== undefined) await completeLookup(context.connection, job.key);
    return id;
  } catch (error) {
    // A service that stops repeats the lookup when it starts.
    if (call.signal.aborted) throw error;
    await record(context, withUrgency(job, call.urgency), error);
    throw error;
  }
}

/**
 * Stores the failure of a lookup: waiting callers get it, and the lookup is not repeated before that can help. A limit
 * of the host is no failure, but delays the lookup until the limit ends.
 */
export async function recordLookupFailure(context: SyncContext, job: Job, error: unknown): Promise<void> {
  const { connection, now } = context;
  const until = error instanceof AppError && error.code === 'provider_rate_limited' ? error.retryAt : undefined;
  if (until === undefined) return recordFailure(context, job, error);
  await inTransaction(connection, (transaction) => delayLookup(transaction, job, until, now()));
}

async function recordFailure(context: SyncContext, { key }: Job, error: unknown): Promise<void> {
  const known =
    error instanceof AppError ? error : new AppError('provider_unavailable', 'The provider could not be reached.');
  const failedAt = context.now();
  const until = known.retryAt ?? new Date(failedAt.getTime() + delayAfterFailureMs);
  await failLookup(context.connection, key, { state: 'failed', error: known, failedAt }, until);
}

/** The lookup whose result the reports are. */
interface Source {
  provider: string;
  key: string;
  /** Parts of its responses that were skipped. */
  skips: SkipCollector;
  /** The name that was looked up; undefined when a stored account is refreshed. */
  name?: string;
}

/** Stores each report as it comes, so that a killed process loses at most the one under way. */
async function saveReports(
  context: SyncContext,
  source: Source,
  reports: AsyncGenerator<AccountReport, void, undefined>,
): Promise<string | undefined> {
  const { provider, key, skips } = source;
  const seenAt = context.now();
  let id: string | undefined;
  for await (const report of reports) {
    if (report.account.isPublic === false) requireReadable(skips);
    id = await saveReport(context, source, report, seenAt);
    if (id === undefined) return undefined;
    await renewLookup(context.connection, key, context.now());
  }
  if (id === undefined) {
    requireReadable(skips);
    return undefined;
  }
  await replaceSkips(context, { provider, target: { accountId: id }, stream: 'account', seenAt }, skips.take());
  await readOverfullAgain(context, id);
  return id;
}

/**
 * Requires that every part of the responses was readable before an account is taken for absent or hidden.
 * @throws AppError `provider_invalid_response` that names the place.
 */
function requireReadable(skips: SkipCollector): void {
  const unreadable = skips.take().find(({ reason }) => reason === 'unreadable');
  if (unreadable === undefined) return;
  throw new AppError('provider_invalid_response', `The code host's response cannot be read at ${unreadable.path}.`);
}

/**
 * Stores one report.
 * @returns undefined when the account must not be stored, or not be shown.
 */
async function saveReport(
  context: SyncContext,
  { provider, name: requestedName }: Source,
  report: AccountReport,
  startedAt: Date,
): Promise<string | undefined> {
  const fetchedAt = context.now();
  return inTransaction(context.connection, async (transaction) => {
    await takeSharedErasureLock(transaction);
    const optedOut = await findOptedOutIds(transaction, provider, [report.account.externalId]);
    if (optedOut.length > 0) {
      // The account's present name is opted out too, so that it is not looked up again.
      const { externalId, name } = report.account;
      await addOptOuts(transaction, provider, { externalId, names: [name] }, fetchedAt);
      return undefined;
    }
    if (report.account.isPublic === false) {
      await markHidden(transaction, { provider, externalId: report.account.externalId }, fetchedAt);
      return undefined;
    }
    const { id, isNewest } = await saveAccount(transaction, {
      provider,
      facts: report.account,
      memory: report.memory,
      fetchedAt,
      newId: context.newId(),
    });
    if (requestedName !== undefined && nameKey(requestedName) !== nameKey(report.account.name)) {
      const checkAfter = new Date(fetchedAt.getTime() + context.freshForMs);
      await saveRedirect(transaction, { provider, name: requestedName, accountId: id, now: fetchedAt, checkAfter });
    }
    if (isNewest && report.account.type !== 'organization') {
      const { missing } = report;
      const stored = await sumMissing(context, transaction, { provider, id }, missing);
      await saveCounters(transaction, id, { counters: { ...stored, ...report.counters }, missing, fetchedAt });
      await settleTotals(transaction, id, startedAt);
      await recordPrivateCounters(transaction, { id, type: report.account.type });
    }
    await announce(transaction, { kind: 'account', key: id });
    return id;
  });
}

/**
 * Hides an account that its provider does not know any more.
 * @param key of the lookup that this completes.
 */
async function hide(context: SyncContext, account: Account, key?: string): Promise<void> {
  await inOneTransaction(context.connection, async (transaction) => {
    await markDeleted(transaction, account.id, context.now());
    await announce(transaction, { kind: 'account', key: account.id });
    if (key !== undefined) await completeLookup(transaction, key);
  });
}

/**
 * Has repositories read again at once where more of an account is stored than its host counts in all, and more in a repository
 * than its listing shows: hosts send no event about a deleted pull request. The account's counters are the stored sums then, and
 * missing while repositories are read again.
 */
async function readOverfullAgain(
  { connection, now }: Pick<SyncContext, 'connection' | 'now'>,
  accountId: string,
): Promise<void> {
  const excess = await findExcess(connection, accountId);
  if (excess.length === 0) return;
  const before = new Date(now().getTime() - repeatedAfterMs);
  const found = await findOverfull(connection, accountId, { before, limit: maxRepositories });
  for (const { repositoryId, ownerId, name, streams } of found) {
    await inTransaction(connection, async (transaction) => {
      await wantFullScan(transaction, repositoryId, streams, now());
      await addJob(transaction, collectRepositoryJob({ accountId: ownerId, repository: name, withPrivate: false }));
    });
  }
  await inTransaction(connection, async (transaction) => {
    await lockAccount(transaction, accountId);
    const overstated = await findOverstated(transaction, accountId);
    const [day] = await findHistory(transaction, accountId, { limit: 1 });
    const { counters: stored } = await countStored(transaction, accountId, 'public');
    const counters = Object.fromEntries(excess.map((name) => [name, Math.max(stored[name], day?.counters[name] ?? 0)]));
    const missing = [...(day?.missing ?? []), ...overstated];
    await saveCounters(transaction, accountId, { counters, missing, fetchedAt: now() });
    await announce(transaction, { kind: 'account', key: accountId });
  });
}
