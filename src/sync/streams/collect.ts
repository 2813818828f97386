import { withUrgency } from '../../accounts/jobs.ts';
import { markRepositoryDeleted } from '../../accounts/repositories/hide-store.ts';
import {
  findByExternalId,
  findOwnedRepositories,
  findOwnedRepository,
  keepFormerName,
  type Repository,
  saveFormerName,
} from '../../accounts/repositories/store.ts';
import { findById } from '../../accounts/store.ts';
import { findCollection } from '../../contributions/items/collection-store.ts';
import { collectJob, collectRepositoryJob, type RepositoryOfAccount } from '../../contributions/items/jobs.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { completeLookup, failLookup, renewLookup } from '../../database/queue/lookups.ts';
import { isDenied } from '../../hosts/interface/denied.ts';
import type { Call, KnownRepository, Provider } from '../../hosts/interface/provider.ts';
import type { Account } from '../../model/account.ts';
import { AppError } from '../../model/errors.ts';
import type { SyncContext, Work } from '../context.ts';
import { listRepositories, saveListed } from '../listings/list-repositories.ts';
import { hastenAfterChange } from '../listings/poll-schedule.ts';
import { recordLookupFailure } from '../lookups/look-up.ts';
import { recordState, recordVisibility } from '../lookups/record-state.ts';
import { whileClaimed } from './claims.ts';
import { type Collected, collectRepository, GitFailure, recordRefusal } from './collect-repository.ts';

/** The number of repositories of one account that are read in parallel. */
const parallelRepositories = 4;
/** The delay, in ms, of a job that paused because other jobs read the same repositories. */
export const busyDelayMs = 5000;
/** The number of failures in a row that count as the provider's failure, and not as those of single repositories. */
const maxFailuresInARow = 3;

/**
 * How collecting ended: `paused` when there is more to do, because the time slice ended or another process is reading
 * some of the repositories.
 */
type CollectingEnd = 'complete' | 'paused';

/**
 * Lists the repositories of an account and reads every contribution that is not stored yet. It can be stopped at any
 * point, and the next run continues there.
 * @param until the end of the time slice, after which other accounts are collected.
 */
export async function collectAccount(
  context: SyncContext,
  accountId: string,
  work: Work,
  until: Date | undefined,
): Promise<CollectingEnd> {
  const account = await findById(context.connection, accountId);
  const provider = context.providers.get(account?.provider ?? '');
  const job = withUrgency(collectJob(accountId), toUrgency(work));
  const { key } = job;
  const { connection } = context;
  if (account === undefined || provider === undefined || account.pinned) {
    await completeLookup(connection, key);
    return 'complete';
  }
  try {
    if (await isListingDue(context, accountId))
      await listRepositories(context, account, provider, work.firstCall ?? work.call);
    const end = await collectOwnedRepositories(context, { account, provider, work }, until);
    await inTransaction(connection, (transaction) => recordState(context, transaction, accountId));
    if (end === 'complete') await completeLookup(context.connection, key);
    else await renewLookup(context.connection, key, context.now());
    return end;
  } catch (error) {
    await inTransaction(connection, (transaction) => recordState(context, transaction, accountId));
    if (!work.call.signal.aborted) await recordLookupFailure(context, job, error);
    throw error;
  }
}

/** Reads every contribution to one repository of an account, which need not be listed yet. */
export async function collectNamedRepository(
  context: SyncContext,
  requested: RepositoryOfAccount,
  work: Work,
): Promise<CollectingEnd> {
  const { accountId, repository: name, withPrivate } = requested;
  const account = await findById(context.connection, accountId);
  const provider = context.providers.get(account?.provider ?? '');
  const job = withUrgency(collectRepositoryJob(requested), toUrgency(work));
  const { key } = job;
  if (account === undefined || provider === undefined || account.pinned) {
    await completeLookup(context.connection, key);
    return 'complete';
  }
  try {
    const listedAt = context.now();
    const listed = await provider.repositories.find(account, name, { withPrivate }, work.firstCall ?? work.call);
    if (listed === null) {
      await failAbsent(context, requested, listedAt);
      return 'complete';
    }
    const repository = await inTransaction(context.connection, async (transaction) => {
      await saveListed(context, transaction, {
        account,
        provider,
        repositories: [listed],
        listedAt,
        kinds: work.extent?.kinds,
      });
      const stored = await findByExternalId(transaction, provider.name, listed.externalId);
      const isRenamed = listed.name.toLowerCase() !== name.toLowerCase();
      if (isRenamed && stored !== undefined)
        await completeRenamed(context, transaction, requested, stored.id, listedAt);
      return stored;
    });
    // A response that came meanwhile may have hidden the repository, or found it below another owner.
    const isShown =
      repository?.ownerId === accountId && !repository.isDeleted && (withPrivate || !repository.isPrivate);
    const end = isShown ? await collectUnlessBusy(context, { account, provider, work }, repository) : undefined;
    if (isShown && repository.installedAt !== null) await hastenAfterChange(context, { provider, repository });
    await inTransaction(context.connection, (transaction) => recordState(context, transaction, accountId));
    // The read of a part says nothing about the whole repository, which other callers wait for.
    if (work.extent === undefined) await completeLookup(context.connection, key);
    return end === 'busy' ? 'paused' : 'complete';
  } catch (error) {
    if (isDenied(error)) {
      const stored = await findOwnedRepository(context.connection, accountId, name, { withPrivate });
      if (stored !== undefined) await recordRefusal(context, stored, error);
    }
    if (!work.call.signal.aborted && work.extent === undefined) await recordLookupFailure(context, job, error);
    throw error;
  }
}

/**
 * Completes the request for a former name. The host redirects it to another name, so that waiting clients are
 * redirected at once.
 */
async function completeRenamed(
  context: SyncContext,
  transaction: Connection,
  requested: RepositoryOfAccount,
  repositoryId: string,
  now: Date,
): Promise<void> {
  const checkAfter = new Date(now.getTime() + context.freshForMs);
  await saveFormerName(transaction, { repositoryId, name: requested.repository, now, checkAfter });
  await completeLookup(transaction, collectRepositoryJob(requested).key);
}

/** Completes the request for a repository that is absent or may not be seen. A stored one is hidden at once. */
async function failAbsent(context: SyncContext, requested: RepositoryOfAccount, requestedAt: Date): Promise<void> {
  const { accountId, repository: name, withPrivate } = requested;
  const until = new Date(context.now().getTime() + context.freshForMs);
  await inTransaction(context.connection, async (transaction) => {
    const stored = await findOwnedRepository(transaction, accountId, name, { withPrivate });
    if (stored !== undefined && (await markRepositoryDeleted(transaction, stored, requestedAt))) {
      await recordVisibility(context, transaction, [accountId]);
    }
    await keepFormerName(transaction, accountId, name, { withPrivate, checkAfter: until });
    await failLookup(transaction, collectRepositoryJob(requested).key, { state: 'absent' }, until);
  });
}

function toUrgency({ call, firstCall = call }: Work): Call['urgency'] {
  return firstCall.urgency;
}

interface Collecting {
  account: Account;
  provider: Provider;
  work: Work;
}

async function isListingDue(context: SyncContext, accountId: string): Promise<boolean> {
  const { listedAt, isListOutdated } = await findCollection(context.connection, accountId);
  return listedAt === null || isListOutdated || listedAt.getTime() + context.freshForMs <= context.now().getTime();
}

/** Reads the repositories in parallel; stops at the first failure that does not concern a single repository alone. */
async function collectOwnedRepositories(
  context: SyncContext,
  collecting: Collecting,
  until: Date | undefined,
): Promise<CollectingEnd> {
  const { account, work } = collecting;
  const repositories = await findOwnedRepositories(context.connection, account.id);
  const queue = repositories.values();
  let done = 0;
  let end: CollectingEnd = 'complete';
  let failuresInARow = 0;
  let failure: unknown;
  let gitFailuresInARow = 0;
  let gitFailure: GitFailure | undefined;
  const reader = async (): Promise<void> => {
    for (const repository of queue) {
      if (failure !== undefined) return;
      if (until !== undefined && context.now() >= until) {
        end = 'paused';
        return;
      }
      try {
        // A host that git cannot reach may keep each attempt waiting for minutes.
        const known = gitFailuresInARow >= maxFailuresInARow ? gitFailure?.cause : undefined;
        const collected = await collectUnlessBusy(context, collecting, repository, known);
        if (collected === 'busy') end = 'paused';
        failuresInARow = 0;
        if (known === undefined) gitFailuresInARow = 0;
      } catch (error) {
        const isOfGit = error instanceof GitFailure;
        failuresInARow = isOfGit ? 0 : failuresInARow + 1;
        if (isOfGit) {
          gitFailuresInARow += 1;
          gitFailure = error;
        }
        if (!work.call.signal.aborted) context.onFailure(error, 'reading a repository');
        if (!isOfGit && (!isOnlyThisRepositorys(error) || failuresInARow >= maxFailuresInARow)) failure ??= error;
      }
      done += 1;
      work.onProgress({ repository: repository.name, done, total: repositories.length });
      const isFailing = failuresInARow > 0 || gitFailuresInARow > 0;
      await renewLookup(context.connection, collectJob(account.id).key, context.now(), { isFailing });
    }
  };
  await Promise.all(Array.from({ length: parallelRepositories }, reader));
  // All else was read, and the histories are read again with the next attempt.
  const isOfHost = gitFailuresInARow >= maxFailuresInARow || !isOnlyThisRepositorys(gitFailure);
  failure ??= isOfHost ? gitFailure : undefined;
  if (failure !== undefined) throw failure;
  return end;
}

/** Reads one repository, unless another job is reading it already. */
export async function collectUnlessBusy(
  context: SyncContext,
  { account, provider, work }: Collecting,
  repository: Repository,
  gitFailure?: AppError,
): Promise<Collected | 'busy'> {
  const known = toKnown(account, repository);
  return whileClaimed(context, repository.id, () =>
    collectRepository(context, {
      account,
      repository,
      known,
      provider,
      call: work.call,
      extent: work.extent,
      gitFailure,
    }),
  );
}

/** Returns a stored repository in the form that its provider needs for requests. */
export function toKnown(
  account: Account,
  { name, handle, defaultBranch, credentialName }: Repository,
): KnownRepository {
  return { owner: account.name, name, handle, defaultBranch, credentialName };
}

function isOnlyThisRepositorys(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'provider_unavailable' || error.code === 'conflict');
}
