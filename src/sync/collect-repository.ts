import { requestAwards } from '../achievements/awards/jobs-store.ts';
import { inTransaction } from '../database/transaction.ts';
import { AppError, type ErrorCode } from '../errors.ts';
import type { GitRemote } from '../providers/provider.ts';
import { markRepositoryGone } from '../repositories/hide-store.ts';
import { markCollected } from '../repositories/store.ts';
import type { SyncContext } from './context.ts';
import { fillCommitFiles } from './fill-commit-files.ts';
import { fillDetails } from './fill-details.ts';
import { followFile } from './follow-file.ts';
import { dueScan, hasCountedHistory, isHistory } from './plan.ts';
import { readHistory } from './read-history.ts';
import { readStream, type Subject } from './read-stream.ts';
import { recordVisibility } from './record-state.ts';
import { completeStream, failStream, findStreams, type StreamState } from './stream-store.ts';

/** What keeps git from telling something now, and nobody else. */
const gitFailures = new Set<ErrorCode>(['provider_unavailable', 'provider_rate_limited', 'conflict']);

const partFailures = new Set<ErrorCode>(['provider_denied', 'provider_invalid_response', 'not_found']);

/** How a repository stands after its collecting. */
export type Collected = 'complete' | 'incomplete' | 'gone';

/**
 * Brings what is stored of one repository up to what its provider has.
 * @throws AppError when going on makes no sense now: the budget is used up, or the provider is not there.
 */
export async function collectRepository(context: SyncContext, subject: Subject): Promise<Collected> {
  const { repository } = subject;
  const startedAt = context.now();
  let isComplete = true;
  for (const stream of await findStreams(context.connection, repository.id)) {
    try {
      if (isHistory(stream)) await followFileIfTold(context, subject, stream);
      await collectStream(context, subject, stream);
    } catch (error) {
      const goneAt = await wholeGoneAt(context, error, subject);
      if (goneAt !== null) return hideRepository(context, subject, goneAt);
      if (!isOfOnePart(error)) throw error;
      // A place in a scan that the provider does not take any more would stop the stream for ever.
      const restart = error.code === 'provider_invalid_response' && !isHistory(stream);
      await failStream(context.connection, repository.id, stream.name, { code: error.code, restart });
      isComplete = false;
    }
  }
  try {
    await fillDetails(context, subject);
    await fillCommitFilesIfTold(context, subject);
  } catch (error) {
    const goneAt = await wholeGoneAt(context, error, subject);
    if (goneAt !== null) return hideRepository(context, subject, goneAt);
    if (!isOfOnePart(error)) throw error;
    context.onFailure(error, 'asking for details');
    isComplete = false;
  }
  if (isComplete) await markCollected(context.connection, repository.id, startedAt);
  await requestAwards(context.connection, repository.id, context.now());
  return isComplete ? 'complete' : 'incomplete';
}

/** Commits are read also where the provider does not show a file, or shows nonsense. */
async function followFileIfTold(context: SyncContext, subject: Subject, history: StreamState): Promise<void> {
  try {
    await followFile(context, subject, history);
  } catch (error) {
    if (!isOfOnePart(error)) throw error;
    context.onFailure(error, 'reading a file of achievements');
  }
}

/** Everything else is known, and may be told and judged, also where git does not come to an end with so much. */
async function fillCommitFilesIfTold(
  context: SyncContext,
  { repository, provider, known, call }: Subject,
): Promise<void> {
  const findRemote = (): Promise<GitRemote> => provider.gitRemote(known, call.signal);
  try {
    await fillCommitFiles(context, { repositoryId: repository.id, findRemote, signal: call.signal });
  } catch (error) {
    const isOfGit = isOfOnePart(error) || (error instanceof AppError && gitFailures.has(error.code));
    if (!isOfGit) throw error;
    context.onFailure(error, 'reading files of commits');
  }
}

/** What the provider denies, does not have, or answers in a way that cannot be used, leaves the rest to be read. */
function isOfOnePart(error: unknown): error is AppError {
  return error instanceof AppError && partFailures.has(error.code);
}

/**
 * Where a part is not there, as git is not where it is switched off, the whole may be: its provider is asked. What nobody
 * vouches for is as good as gone. @returns when it was asked; null: the repository is there.
 */
async function wholeGoneAt(
  { now }: SyncContext,
  error: unknown,
  { account, repository, provider, call }: Subject,
): Promise<Date | null> {
  if (!(error instanceof AppError) || error.code !== 'not_found') return null;
  const askedAt = now();
  const { name, externalId, isPrivate } = repository;
  try {
    const found = await provider.findRepository(account, name, { withPrivate: isPrivate }, call);
    return found?.externalId === externalId && found.isPrivate === isPrivate ? null : askedAt;
  } catch (failure) {
    if (call.signal.aborted) throw failure;
    return askedAt;
  }
}

async function collectStream(context: SyncContext, subject: Subject, stream: StreamState): Promise<void> {
  const now = context.now();
  const isInstalled = subject.repository.installedAt !== null;
  const due = dueScan(stream, { now, freshForMs: context.freshForMs, isInstalled });
  const isUncounted = isHistory(stream) && !hasCountedHistory(subject.repository);
  if (due === 'nothing') return;
  if (due === 'mark_complete' || isUncounted) {
    const end = { knownUntil: now, completedAt: now, wasFull: true, wasDeep: isInstalled };
    await completeStream(context.connection, subject.repository.id, stream.name, end);
  } else if (isHistory(stream)) {
    await readHistory(context, subject, stream);
  } else {
    await readStream(context, subject, stream, due);
  }
}

async function hideRepository(
  context: SyncContext,
  { repository }: Subject,
  askedAt: Date,
): Promise<'gone' | 'incomplete'> {
  return inTransaction(context.connection, async (transaction) => {
    // It was listed since: whoever listed it has it read again.
    if (!(await markRepositoryGone(transaction, repository, askedAt))) return 'incomplete';
    await recordVisibility(context, transaction, repository.ownerId);
    return 'gone';
  });
}
