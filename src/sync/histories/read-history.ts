import { findById } from '../../accounts/store.ts';
import { removeCommits, removeUnseenCommits, saveAllCommits } from '../../contributions/items/commit-store.ts';
import { addPendingForStoredCommits, needLanguages } from '../../contributions/items/detail-store.ts';
import { markAddressesInParts } from '../../contributions/items/identity-store.ts';
import { collectRepositoryJob, countLanguagesJob, type LanguagesOfAccount } from '../../contributions/items/jobs.ts';
import { lockTotals } from '../../contributions/items/write-store.ts';
import { maxRepositories } from '../../contributions/languages/languages.ts';
import { doLanguagesDiffer, recountLanguages } from '../../contributions/languages/recount-store.ts';
import { findLanguageRepositories, needsLanguages } from '../../contributions/languages/store.ts';
import { daysInParts } from '../../contributions/totals/compare-totals-store.ts';
import { endRecount, recountNextDays } from '../../contributions/totals/recount-commits-store.ts';
import {
  areCommitsCounted,
  countNewCommits,
  markCommitsUncounted,
  uncountCommits,
} from '../../contributions/totals/total-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import { completeLookup } from '../../database/queue/lookups.ts';
import type { HistoryCopy } from '../../hosts/history/history-cache.ts';
import type { Commit } from '../../hosts/history/read-commits.ts';
import { type Call, requirePart } from '../../hosts/interface/provider.ts';
import { AppError, type ErrorCode } from '../../model/errors.ts';
import type { SyncContext } from '../context.ts';
import { resolveAddresses } from '../lookups/resolve-addresses.ts';
import { finishStream } from '../streams/end-scan.ts';
import { isWholeScanWanted } from '../streams/plan.ts';
import { deleteSkippedBefore } from '../streams/skip-store.ts';
import {
  completeStream,
  lockStream,
  moveTip,
  recordStreamChange,
  type StreamState,
  startHistoryScan,
  waitForHistory,
} from '../streams/stream-store.ts';
import type { Subject } from '../streams/subject.ts';
import { recountCommitsOnDay, recountLanguagesOnDay } from '../totals/recount-large-day.ts';

/** The most counts of a large day, which may change meanwhile, by one call. */
const countsOfDay = 3;

/** The repository whose commits are counted again; `rows` is the most that one transaction counts again. */
interface Recount {
  repositoryId: string;
  rows: number;
  signal: AbortSignal;
}

/**
 * The time, in ms, for which an empty repository may have an unseen push: code hosts show it as empty until they have
 * processed the first push, Gitea for about a second.
 */
const settlingMs = 60_000;
const nextReadDelayMs = 10_000;
const maxReads = 6;
/** Failures with which a code host withholds the code. Others, such as of a history that is too large, do not say that it is empty. */
const withheld = new Set<ErrorCode>(['provider_denied', 'not_found']);

/** The place of co-authors that are not read: the people of such a commit are counted without them. */
export const cutCommit = { kind: 'commit', path: 'co_authors' };
const commitsAtOnce = 2000;
/** The commits, items of a kind, stored days or sums of languages that one transaction counts again, some tenths of a second for all of them. */
const recountedAtOnce = 10_000;

/** Makes the stored commits of a repository those of its default branch, and looks up the accounts of their authors. */
export async function readHistory(context: SyncContext, subject: Subject, stream: StreamState): Promise<void> {
  const startedAt = context.now();
  const isFull = await context.histories.use(subject.repository.id, 'commits', (copy) =>
    storeHistory(context, subject, stream, copy),
  );
  const left = await resolveAddresses(context, subject);
  const { repository, call } = subject;
  const atOnce = { rows: recountedAtOnce, signal: call.signal };
  await markAddressesInParts(context.connection, repository.id, atOnce);
  await recountCommits(context.connection, { repositoryId: repository.id, ...atOnce });
  await countFirstCommits(context, subject, stream);
  await inTransaction(context.connection, async (transaction) => {
    await lockStream(transaction, subject.repository.id, stream.name);
    await countCommits(transaction, subject.repository.id);
    await finishStream(context, transaction, subject, stream, { startedAt, isFull, isDeep: false });
    // The next read continues the lookups, even without another push.
    if (left === 'some') await recordStreamChange(transaction, subject.repository.id, [stream.name], context.now());
  });
}

/** Counts new commits, some in each transaction, so that events do not wait, until those are left that one can count. */
async function countFirstCommits(
  { connection }: SyncContext,
  { repository, call }: Subject,
  { name }: StreamState,
): Promise<void> {
  for (;;) {
    call.signal.throwIfAborted();
    const counted = await inTransaction(connection, async (transaction) => {
      await lockStream(transaction, repository.id, name);
      if (!(await areCommitsCounted(transaction, repository.id))) return 0;
      return countNewCommits(transaction, repository.id, recountedAtOnce);
    });
    if (counted < recountedAtOnce) return;
  }
}

/**
 * Counts the rest of the commits that were added, or ends a recount. A recount that became necessary again meanwhile is left
 * to the next read, which a job requests.
 */
async function countCommits(transaction: Connection, repositoryId: string): Promise<void> {
  if (await areCommitsCounted(transaction, repositoryId)) await countNewCommits(transaction, repositoryId);
  else {
    await addPendingForStoredCommits(transaction, repositoryId);
    await endRecount(transaction, repositoryId);
  }
}

/** Yields batches of commits, and reports those that name more co-authors than are read. */
async function* reportCut(batches: AsyncIterable<Commit[]>, { onSkipped }: Call): AsyncGenerator<Commit[]> {
  const skipped = { ...cutCommit, reason: 'unreadable', explanation: '', isStored: true, isCounted: false } as const;
  for await (const commits of batches) {
    for (const { isCut } of commits) if (isCut) onSkipped?.(skipped);
    yield commits;
  }
}

/** @returns whether the whole history was read. */
async function storeHistory(
  context: SyncContext,
  subject: Subject,
  stream: StreamState,
  copy: HistoryCopy,
): Promise<boolean> {
  const { connection } = context;
  const { repository, provider, known, call } = subject;
  const { signal } = call;
  const tip = await copy.fetch(await requirePart(provider, 'history').toRemote(known, signal), signal);
  const earlierTips = [...new Set([stream.cursor, ...stream.pendingTips])].filter((oid) => oid !== null);
  const isHeld = await Promise.all(earlierTips.map((oid) => copy.holds(oid, signal)));
  // Without a commit that the branch held before, only a whole scan can find the commits that it lost.
  const isWholeScan = tip === null || isWholeScanWanted(stream) || isHeld.includes(false);
  const number = stream.scanNumber + (isWholeScan ? 1 : 0);
  if (isWholeScan) {
    await markCommitsUncounted(connection, [repository.id]);
    await deleteSkippedBefore(connection, {
      target: { repositoryId: repository.id },
      stream: stream.name,
      seenAt: context.now(),
    });
  }
  const isCounted = await areCommitsCounted(connection, repository.id);
  if (tip !== null) {
    const scan = { startedAt: context.now(), tip, number };
    await startHistoryScan(connection, repository.id, stream.name, scan);
    // An interrupted scan may have removed some of the commits up to the cursor.
    const range = { from: isWholeScan || stream.pendingTips.length > 0 ? null : stream.cursor, to: tip };
    await saveAllCommits(connection, reportCut(copy.readCommits(range, { signal, batchSize: commitsAtOnce }), call), {
      provider: repository.provider,
      repositoryId: repository.id,
      scanNumber: number,
      isCounted,
    });
    if (!isWholeScan) {
      const lost = { from: earlierTips, to: tip };
      for await (const oids of copy.readLost(lost, { signal, batchSize: commitsAtOnce })) {
        await inTransaction(connection, async (transaction) => {
          if (isCounted) await uncountCommits(transaction, repository.id, oids);
          await removeCommits(transaction, repository.id, oids);
        });
      }
    }
  }
  if (isWholeScan) await removeUnseenCommits(connection, repository.id, number);
  await moveTip(connection, repository.id, stream.name, tip);
  return isWholeScan;
}

/**
 * Completes the history of a repository that its code host shows as empty. When a push may not be visible yet, the
 * history is read again soon, until it is not empty or a minute is over. When git shows commits, it is complete only
 * then.
 * @returns whether the history is complete.
 */
export async function readEmptyHistory(context: SyncContext, subject: Subject, stream: StreamState): Promise<boolean> {
  const { connection, now } = context;
  const { repository } = subject;
  const at = now();
  const reads = (stream.scanStartedAt === null ? 0 : (stream.scanTotal ?? 0)) + 1;
  const isWaiting = reads <= maxReads;
  const isEmpty = !isWaiting || !(await holdsCommits(context, subject));
  await inTransaction(connection, async (transaction) => {
    const isDeep = repository.installedAt !== null;
    const end = { knownUntil: at, completedAt: at, wasFull: true, wasDeep: isDeep };
    if (isEmpty) await completeStream(transaction, repository.id, stream.name, end);
    if (isEmpty && !(isWaiting && isRecent(stream, at))) return;
    const startedAt = stream.scanStartedAt ?? at;
    await waitForHistory(transaction, repository.id, stream.name, { startedAt, reads });
    const job = collectRepositoryJob({ accountId: repository.ownerId, repository: repository.name, withPrivate: true });
    await addJob(transaction, { ...job, runAt: new Date(at.getTime() + nextReadDelayMs), keepsRunAt: true });
  });
  return isEmpty;
}

/**
 * Returns whether the repository changed, or a delivery named it, recently enough that a push may not be visible yet.
 */
function isRecent(stream: StreamState, now: Date): boolean {
  const { scanStartedAt, completedAt, knownUntil, invalidatedAt, providerChangedAt } = stream;
  const isInvalidated = invalidatedAt !== null && (knownUntil === null || invalidatedAt >= knownUntil);
  const isNew = scanStartedAt !== null || completedAt === null || isInvalidated;
  const newest = Math.max(invalidatedAt?.getTime() ?? 0, providerChangedAt?.getTime() ?? 0);
  return isNew && newest + settlingMs > now.getTime();
}

/** Returns whether git shows commits. Git shows none when the code host withholds the code. */
async function holdsCommits(context: SyncContext, { repository, provider, known, call }: Subject): Promise<boolean> {
  try {
    return await context.histories.use(repository.id, 'commits', async (copy) => {
      const remote = await requirePart(provider, 'history').toRemote(known, call.signal);
      return (await copy.fetch(remote, call.signal)) !== null;
    });
  } catch (error) {
    if (!call.signal.aborted && error instanceof AppError && withheld.has(error.code)) return false;
    throw error;
  }
}

/**
 * Counts all commits of a repository again where that is necessary, some days in each transaction, so that events do not
 * wait. A large day that changes while its languages are counted is left to the nightly check.
 * @throws AppError `conflict` when a large day changes each time it is counted; another job continues with it.
 */
export async function recountCommits(connection: Connection, recount: Recount): Promise<void> {
  const { repositoryId, rows, signal } = recount;
  if (await areCommitsCounted(connection, repositoryId)) return;
  let changes = 0;
  for (;;) {
    signal.throwIfAborted();
    const next = await inTransaction(connection, (to) => recountNextDays(to, repositoryId, rows));
    if (next === 'done') break;
    if (next === 'more') continue;
    const { isComplete } = await recountCommitsOnDay(connection, { repositoryId, days: next, signal }, rows);
    changes = isComplete ? 0 : changes + 1;
    if (changes === countsOfDay) throw new AppError('conflict', 'A day of commits changed each time it was counted.');
  }
  if (await needsLanguages(connection, repositoryId)) await recountAllLanguages(connection, recount);
}

async function recountAllLanguages(connection: Connection, { repositoryId, rows, signal }: Recount): Promise<void> {
  for await (const { isLarge, ...days } of daysInParts(connection, repositoryId, rows)) {
    signal.throwIfAborted();
    if (isLarge) {
      await recountLanguagesOnDay(connection, { repositoryId, days, signal }, rows);
    } else if (await doLanguagesDiffer(connection, repositoryId, days)) {
      await inTransaction(connection, async (transaction) => {
        await lockTotals(transaction, repositoryId);
        await recountLanguages(transaction, repositoryId, days);
      });
    }
  }
}

/**
 * Has the languages of commits read in the repositories with the most commits of an account, by jobs of the repositories.
 * A public caller's job leaves private repositories alone.
 */
export async function countLanguages(
  { connection }: Pick<SyncContext, 'connection'>,
  requested: LanguagesOfAccount,
): Promise<void> {
  const { accountId, withPrivate } = requested;
  const account = await findById(connection, accountId);
  if (account !== undefined && !account.pinned) {
    const query = { accountId, isOwner: account.type === 'organization', withPrivate };
    for (const repository of await findLanguageRepositories(connection, query, maxRepositories)) {
      if (repository.isNeeded) continue;
      await inTransaction(connection, async (transaction) => {
        await needLanguages(transaction, repository.id);
        const { ownerId, name, isPrivate } = repository;
        const job = collectRepositoryJob({ accountId: ownerId, repository: name, withPrivate: isPrivate });
        await addJob(transaction, job);
      });
    }
  }
  await completeLookup(connection, countLanguagesJob(requested).key);
}
