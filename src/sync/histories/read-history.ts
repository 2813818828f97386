import { removeCommits, removeUnseenCommits, saveAllCommits } from '../../contributions/items/commit-store.ts';
import { addPendingForStoredCommits } from '../../contributions/items/detail-store.ts';
import { markAddressesInParts } from '../../contributions/items/identity-store.ts';
import { endRecount } from '../../contributions/totals/recount-commits-store.ts';
import {
  areCommitsCounted,
  countNewCommits,
  forgetCommitCounts,
  uncountCommits,
} from '../../contributions/totals/total-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import type { Commit } from '../../hosts/history/commit-parser.ts';
import type { HistoryCopy } from '../../hosts/history/history-cache.ts';
import { type Call, requirePart } from '../../hosts/interface/provider.ts';
import type { SyncContext } from '../context.ts';
import { resolveAddresses } from '../lookups/resolve-addresses.ts';
import { finishStream } from '../streams/end-scan.ts';
import { isWholeScanWanted } from '../streams/plan.ts';
import { forgetSkippedBefore } from '../streams/skip-store.ts';
import { lockStream, recordStreamChange } from '../streams/stream-change-store.ts';
import { moveTip, type StreamState, startHistoryScan } from '../streams/stream-store.ts';
import type { Subject } from '../streams/subject.ts';
import { recountCommits } from './recount-commits.ts';

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
  const tip = await copy.fetch(await requirePart(provider, 'history').remoteOf(known, signal), signal);
  const earlierTips = [...new Set([stream.cursor, ...stream.pendingTips])].filter((oid) => oid !== null);
  const isHeld = await Promise.all(earlierTips.map((oid) => copy.holds(oid, signal)));
  // Without a commit that the branch held before, only a whole scan can find the commits that it lost.
  const isWholeScan = tip === null || isWholeScanWanted(stream) || isHeld.includes(false);
  const number = stream.scanNumber + (isWholeScan ? 1 : 0);
  if (isWholeScan) {
    await forgetCommitCounts(connection, [repository.id]);
    await forgetSkippedBefore(connection, {
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
