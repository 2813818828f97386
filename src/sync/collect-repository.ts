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
import { saveListed } from './list-repositories.ts';
import { dueScan, isHistory } from './plan.ts';
import { readEmptyHistory } from './read-empty-history.ts';
import { readHistory } from './read-history.ts';
import { readStream, type Subject } from './read-stream.ts';
import { recordVisibility } from './record-state.ts';
import { replaceSkips, SkipCollector } from './skips.ts';
import { completeStream, failStream, findStreams, type StreamState } from './stream-store.ts';

/** What keeps git from telling something now, and nobody else. */
const gitFailures = new Set<ErrorCode>(['provider_unavailable', 'provider_rate_limited', 'conflict']);

const partFailures = new Set<ErrorCode>(['provider_denied', 'provider_invalid_response', 'not_found']);

/** How a repository stands after its collecting; `gone`: it is not what was to be read any more. */
export type Collected = 'complete' | 'incomplete' | 'gone';

/**
 * Brings what is stored of one repository up to what its provider has.
 * @throws AppError when going on makes no sense now: the budget is used up, or the provider is not there.
 */
export async function collectRepository(context: SyncContext, asked: Omit<Subject, 'skips'>): Promise<Collected> {
  const skips = new SkipCollector(asked.call);
  const subject: Subject = { ...asked, call: skips.call, skips };
  const { repository, call } = subject;
  const startedAt = context.now();
  let isComplete = true;
  for (const stream of await findStreams(context.connection, repository.id)) {
    const { isRead, failure } = await outcomeOf(collectStream(context, subject, stream));
    isComplete &&= isRead;
    if (isNotFound(failure) && !(await isStillAsItWas(context, subject))) return 'gone';
    // The file is followed after its push was read, and also where git cannot be read.
    if (isHistory(stream) && !call.signal.aborted) await followFileIfTold(context, subject, failure !== undefined);
    if (failure === undefined) {
      if (isHistory(stream)) await storeSkips(context, subject, stream.name, startedAt);
      continue;
    }
    if (!isOfOnePart(failure)) throw failure;
    await storeFailure(context, subject, stream, failure);
  }
  try {
    await fillDetails(context, subject);
    await fillCommitFilesIfTold(context, subject);
    await storeSkips(context, subject, 'details', startedAt);
  } catch (error) {
    if (isNotFound(error) && !(await isStillAsItWas(context, subject))) return 'gone';
    if (!isOfOnePart(error)) throw error;
    context.onFailure(error, 'asking for details');
    isComplete = false;
  }
  if (isComplete) await markCollected(context.connection, repository.id, startedAt);
  await requestAwards(context.connection, repository.id, context.now());
  return isComplete ? 'complete' : 'incomplete';
}

async function storeFailure(
  context: SyncContext,
  { repository, skips }: Subject,
  stream: StreamState,
  error: AppError,
): Promise<void> {
  // The parts of an unfinished page are met again with the page.
  skips.take();
  const { provider, id: repositoryId } = repository;
  // A place in a scan that the provider does not take any more would stop the stream for ever.
  const restart = error.code === 'provider_invalid_response' && !isHistory(stream);
  const reason = error.reason || error.message;
  const failure = { code: error.code, reason, failedAt: context.now(), restart };
  await failStream(context.connection, repositoryId, stream.name, failure);
  context.onStreamFailure({ provider, repositoryId, stream: stream.name, error });
}

/** Stores parts that were skipped outside the pages of a stream. */
async function storeSkips(
  context: SyncContext,
  { repository, skips }: Subject,
  stream: string,
  seenAt: Date,
): Promise<void> {
  const target = { repositoryId: repository.id };
  await replaceSkips(context, { provider: repository.provider, target, stream, seenAt }, skips.take());
}

async function outcomeOf(work: Promise<boolean>): Promise<{ isRead: boolean; failure?: unknown }> {
  try {
    return { isRead: await work };
  } catch (error) {
    return { isRead: false, failure: error ?? new Error('The work failed without an error.') };
  }
}

/** Follows the file of achievements; one that the provider does not show, or garbles, leaves the rest to be read. */
async function followFileIfTold(context: SyncContext, subject: Subject, isHistoryOld: boolean): Promise<void> {
  const streams = await findStreams(context.connection, subject.repository.id);
  const { cursor = null, providerRevision = null } = streams.find(isHistory) ?? {};
  const revision = isHistoryOld ? (providerRevision ?? cursor) : (cursor ?? providerRevision);
  try {
    await followFile(context, subject, revision);
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

function isNotFound(error: unknown): boolean {
  return error instanceof AppError && error.code === 'not_found';
}

/**
 * Where a part is not there, as git is not where it is switched off, the whole may be: its provider is asked, and what it
 * tells is stored. What nobody vouches for is hidden.
 */
async function isStillAsItWas(
  context: SyncContext,
  { account, repository, provider, call }: Subject,
): Promise<boolean> {
  const askedAt = context.now();
  const { name, externalId, isPrivate, access } = repository;
  const found = await provider.findRepository(account, name, { withPrivate: true }, call).catch((error: unknown) => {
    if (call.signal.aborted) throw error;
    return null;
  });
  return inTransaction(context.connection, async (transaction) => {
    if (found?.externalId === externalId) {
      await saveListed(context, transaction, { account, provider, repositories: [found], listedAt: askedAt });
      return found.isPrivate === isPrivate && found.access === access;
    }
    // Where it was listed since, whoever listed it has it read again.
    if (await markRepositoryGone(transaction, repository, askedAt)) {
      await recordVisibility(context, transaction, repository.ownerId);
    }
    return false;
  });
}

/** @returns false where more is to be read soon. */
async function collectStream(context: SyncContext, subject: Subject, stream: StreamState): Promise<boolean> {
  const { repository } = subject;
  const now = context.now();
  const isInstalled = repository.installedAt !== null;
  const due = dueScan(stream, { now, freshForMs: context.freshForMs, isInstalled });
  if (due === 'nothing') return true;
  // Commits in forks are not counted for their owner.
  if (due === 'mark_complete' || (isHistory(stream) && repository.isFork)) {
    const end = { knownUntil: now, completedAt: now, wasFull: true, wasDeep: isInstalled };
    await completeStream(context.connection, repository.id, stream.name, end);
    return true;
  }
  if (isHistory(stream) && repository.defaultBranch === '') return readEmptyHistory(context, subject, stream);
  if (isHistory(stream)) await readHistory(context, subject, stream);
  else await readStream(context, subject, stream, due);
  return true;
}
