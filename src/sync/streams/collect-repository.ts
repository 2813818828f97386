import { markRepositoryDeleted } from '../../accounts/repositories/hide-store.ts';
import { markCollected, type Repository } from '../../accounts/repositories/store.ts';
import { prepareMissingList } from '../../contributions/contributors/prepare-store.ts';
import { addPendingWhereAbsent } from '../../contributions/items/detail-store.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { type GitRemote, requirePart } from '../../hosts/interface/provider.ts';
import { AppError, type ErrorCode } from '../../model/errors.ts';
import { requestAwards } from '../../recognition/achievements/awards/jobs-store.ts';
import { requestBoards } from '../../recognition/boards/ranking/request-store.ts';
import type { Extent, SyncContext } from '../context.ts';
import { cutCommit, readEmptyHistory, readHistory } from '../histories/read-history.ts';
import { saveListed } from '../listings/list-repositories.ts';
import { recordVisibility } from '../lookups/record-state.ts';
import { cutPaths, fillCommitFiles, fillDetails } from './fill-commit-files.ts';
import { followFiles } from './follow-files.ts';
import { dueScan, isHistory } from './plan.ts';
import { readStream } from './read-stream.ts';
import { replaceSkips, SkipCollector } from './skips.ts';
import { completeStream, endFailure, failStream, findStreams, type StreamState } from './stream-store.ts';
import { isReadDeep, type Subject } from './subject.ts';

/** Failures that keep only git from being read for now: the API is read meanwhile. */
const gitFailures = new Set<ErrorCode>(['provider_unavailable', 'provider_rate_limited', 'conflict']);

const partFailures = new Set<ErrorCode>(['provider_denied', 'provider_invalid_response', 'not_found']);

/** Git failed, and all else of the repository was read. */
export class GitFailure extends AppError {
  override readonly cause: AppError;

  constructor(cause: AppError) {
    super(cause.code, cause.message, { cause, retryAt: cause.retryAt });
    this.cause = cause;
  }
}

/** The state of a repository after it was collected; `hidden`: its host no longer shows it, or shows it to others than before. */
export type Collected = 'complete' | 'incomplete' | 'hidden';

/**
 * Updates the stored data of one repository from its provider.
 * @throws AppError when continuing is useless now: the quota is used up, or the provider cannot be reached.
 */
export async function collectRepository(context: SyncContext, requested: Omit<Subject, 'skips'>): Promise<Collected> {
  const skips = new SkipCollector(requested.call);
  const subject: Subject = { ...requested, call: skips.call, skips };
  const { repository, call, extent } = subject;
  const startedAt = context.now();
  let isComplete = true;
  let gitFailure: AppError | undefined;
  for (const stream of await findStreams(context.connection, repository.id)) {
    if (extent !== undefined && !stream.covers.some((kind) => extent.kinds.has(kind))) continue;
    const { isRead, failure } = await awaitOutcome(collectStream(context, subject, stream));
    isComplete &&= isRead;
    if (isNotFound(failure) && !(await isStillAsItWas(context, subject))) return 'hidden';
    // The file of achievements is read after the push that changed it, and also where git cannot be read.
    if (isHistory(stream) && !call.signal.aborted) await tryFollowFile(context, subject, failure !== undefined);
    if (failure === undefined) {
      if (isHistory(stream)) await storeSkips(context, subject, stream.name, startedAt);
      continue;
    }
    if (isStored(failure) && !call.signal.aborted) {
      // Skipped parts of an unfinished page come again with the page.
      skips.take();
      await storeFailure(context, repository, stream, failure);
    }
    if (isOfOnePart(failure)) continue;
    if (!isHistory(stream) || !isOfGit(failure) || call.signal.aborted) throw failure;
    gitFailure = failure;
  }
  try {
    if (extent !== undefined) await addPending(context, repository.id, extent);
    await fillDetails(context, subject);
    if (gitFailure === undefined) await tryFillCommitFiles(context, subject);
    await storeSkips(context, subject, 'details', startedAt);
  } catch (error) {
    if (isNotFound(error) && !(await isStillAsItWas(context, subject))) return 'hidden';
    if (!isOfOnePart(error)) throw error;
    context.onFailure(error, 'reading details');
    isComplete = false;
  }
  if (extent === undefined) await prepareMissingList(context.connection, repository.ownerId);
  if (isComplete && extent === undefined) await markCollected(context.connection, repository.id, startedAt);
  await requestAwards(context.connection, repository.id, context.now());
  await requestBoards(context.connection, repository.id);
  if (gitFailure !== undefined) throw new GitFailure(gitFailure);
  return isComplete ? 'complete' : 'incomplete';
}

/** Notes the details of an extent that are absent, so that they are read with those that are pending already. */
async function addPending({ connection }: SyncContext, repositoryId: string, { details }: Extent): Promise<void> {
  await inTransaction(connection, async (transaction) => {
    for (const detail of details) await addPendingWhereAbsent(transaction, repositoryId, detail);
  });
}

/** Stores that the host refuses a whole repository, whose stored data stays. */
export async function recordRefusal(context: SyncContext, repository: Repository, refusal: AppError): Promise<void> {
  for (const stream of await findStreams(context.connection, repository.id)) {
    await storeFailure(context, repository, stream, refusal);
  }
}

async function storeFailure(
  context: SyncContext,
  repository: Repository,
  stream: StreamState,
  error: AppError,
): Promise<void> {
  const { provider, id: repositoryId } = repository;
  // A cursor that the provider rejects would stop the stream for ever.
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
  // Commits that were read once are not read again. `readHistory` deletes their places before it reads all of them.
  const keptPaths = [cutCommit.path, ...cutPaths];
  await replaceSkips(context, { provider: repository.provider, target, stream, seenAt }, skips.take(), keptPaths);
}

async function awaitOutcome(work: Promise<boolean>): Promise<{ isRead: boolean; failure?: unknown }> {
  try {
    return { isRead: await work };
  } catch (error) {
    return { isRead: false, failure: error ?? new Error('The work failed without an error.') };
  }
}

/** Reads the files of achievements and of boards. When the provider denies or garbles it, the other parts are read all the same. */
async function tryFollowFile(context: SyncContext, subject: Subject, isHistoryOld: boolean): Promise<void> {
  const streams = await findStreams(context.connection, subject.repository.id);
  const { cursor = null, providerRevision = null } = streams.find(isHistory) ?? {};
  const revision = isHistoryOld ? (providerRevision ?? cursor) : (cursor ?? providerRevision);
  try {
    await followFiles(context, subject, revision);
  } catch (error) {
    if (!isOfOnePart(error)) throw error;
    context.onFailure(error, 'reading a file of achievements');
  }
}

/**
 * Reads the pending paths of commits. Everything else is stored already, and is served and evaluated even when git does
 * not finish this work.
 */
async function tryFillCommitFiles(
  context: SyncContext,
  { repository, provider, known, call, extent }: Subject,
): Promise<void> {
  const findRemote = async (): Promise<GitRemote> => requirePart(provider, 'history').toRemote(known, call.signal);
  try {
    const { signal, onSkipped } = call;
    const onPart = extent?.onPart;
    await fillCommitFiles(context, { repositoryId: repository.id, findRemote, signal, onPart, onSkipped });
  } catch (error) {
    if (!isOfOnePart(error) && !isOfGit(error)) throw error;
    context.onFailure(error, 'reading files of commits');
  }
}

/**
 * Returns whether a failure concerns one part only: the provider denies it, does not have it, or sends an unusable
 * response. The other parts are read all the same.
 */
function isOfOnePart(error: unknown): error is AppError {
  return error instanceof AppError && partFailures.has(error.code);
}

/** Returns whether the state of a stream says that it fails: owners and operators see it, however long it lasts. */
function isStored(error: unknown): error is AppError {
  return isOfOnePart(error) || (error instanceof AppError && error.code === 'provider_unavailable');
}

function isOfGit(error: unknown): error is AppError {
  return error instanceof AppError && gitFailures.has(error.code);
}

function isNotFound(error: unknown): boolean {
  return error instanceof AppError && error.code === 'not_found';
}

/**
 * Checks a repository of which a part was not found. Either the part alone is absent, as git is where it is switched
 * off, or the whole repository is. The provider's response is stored; a refused check proves nothing and hides nothing.
 * @returns whether the repository is still present, as far as is known, with the same visibility and credential.
 */
async function isStillAsItWas(
  context: SyncContext,
  { account, repository, provider, call }: Subject,
): Promise<boolean> {
  const requestedAt = context.now();
  const { name, externalId, isPrivate, credentialName } = repository;
  const find = provider.repositories.find(account, name, { withPrivate: true }, call);
  const found = await find.catch((error: unknown) => {
    if (!isOfOnePart(error)) throw error;
    context.onFailure(error, 'checking whether a repository is still there');
    return undefined;
  });
  if (found === undefined) return true;
  return inTransaction(context.connection, async (transaction) => {
    if (found?.externalId === externalId) {
      await saveListed(context, transaction, { account, provider, repositories: [found], listedAt: requestedAt });
      return found.isPrivate === isPrivate && found.credentialName === credentialName;
    }
    // A repository that another process has listed since `requestedAt` is not hidden: that process has it read again.
    if (await markRepositoryDeleted(transaction, repository, requestedAt)) {
      await recordVisibility(context, transaction, [repository.ownerId]);
    }
    return false;
  });
}

/** @returns false when the stream has to be read again soon. */
async function collectStream(context: SyncContext, subject: Subject, stream: StreamState): Promise<boolean> {
  const { repository } = subject;
  const now = context.now();
  const isInstalled = isReadDeep(subject, stream);
  const due = dueScan(stream, { now, freshForMs: context.freshForMs, isInstalled });
  if (due === 'nothing') {
    if (stream.isFailing) await endFailure(context.connection, repository.id, stream.name);
    return true;
  }
  // Commits in forks are not counted for their owner.
  if (due === 'mark_complete' || (isHistory(stream) && repository.isFork)) {
    const end = { knownUntil: now, completedAt: now, wasFull: true, wasDeep: isInstalled };
    await completeStream(context.connection, repository.id, stream.name, end);
    return true;
  }
  if (isHistory(stream) && repository.defaultBranch === '') return readEmptyHistory(context, subject, stream);
  if (isHistory(stream)) {
    if (subject.gitFailure !== undefined) throw subject.gitFailure;
    await readHistory(context, subject, stream);
  } else await readStream(context, subject, stream, due);
  return true;
}
