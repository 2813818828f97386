import { collectRepositoryJob } from '../../contributions/items/jobs.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import { requirePart } from '../../hosts/interface/provider.ts';
import { AppError, type ErrorCode } from '../../model/errors.ts';
import type { SyncContext } from '../context.ts';
import { completeStream, type StreamState, waitForHistory } from '../streams/stream-store.ts';
import type { Subject } from '../streams/subject.ts';

/**
 * The time, in ms, for which an empty repository may have an unseen push: code hosts show it as empty until they have
 * processed the first push, Gitea for about a second.
 */
const settlingMs = 60_000;
const nextReadDelayMs = 10_000;
const maxReads = 6;
/** Failures with which a code host withholds the code. Others, such as of a history that is too large, do not say that it is empty. */
const withheld = new Set<ErrorCode>(['provider_denied', 'not_found']);

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
      const remote = await requirePart(provider, 'history').remoteOf(known, call.signal);
      return (await copy.fetch(remote, call.signal)) !== null;
    });
  } catch (error) {
    if (!call.signal.aborted && error instanceof AppError && withheld.has(error.code)) return false;
    throw error;
  }
}
