import { createHash } from 'node:crypto';
import { refreshJob } from '../../accounts/jobs.ts';
import { findPoll, findReportedChange, type Poll, savePoll } from '../../accounts/repositories/poll-store.ts';
import { findRepository, type Repository } from '../../accounts/repositories/store.ts';
import { findById } from '../../accounts/store.ts';
import { recordTotalsChanged } from '../../contributions/items/collection-store.ts';
import { collectRepositoryJob } from '../../contributions/items/jobs.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { addJob, type Job } from '../../database/queue/added-jobs.ts';
import { isDenied } from '../../hosts/interface/denied.ts';
import type { Provider, RepositoryTip } from '../../hosts/interface/provider.ts';
import type { Account } from '../../model/account.ts';
import { AppError } from '../../model/errors.ts';
import type { SyncContext, Work } from '../context.ts';
import { recordState } from '../lookups/record-state.ts';
import { busyDelayMs, collectUnlessBusy, toKnown } from '../streams/collect.ts';
import { recordRefusal } from '../streams/collect-repository.ts';
import { ActorsOfScan, savePage } from '../streams/read-stream.ts';
import { replaceSkips, SkipCollector } from '../streams/skips.ts';
import { saveListed } from './list-repositories.ts';
import { findPollCredential, findPollInterval } from './poll-schedule.ts';

export function pollJob(repositoryId: string): Job {
  return { task: 'poll_repository', payload: { repositoryId }, key: `poll ${repositoryId}`, priority: 40 };
}

/** An installed repository that is shown. */
interface Installed {
  account: Account;
  provider: Provider;
  repository: Repository;
}

/**
 * Polls an installed repository for its last changes, reactions and votes too, and reads everything that follows from
 * them. A repository that has just changed is polled again soon, others ever less often.
 */
export async function pollRepository(context: SyncContext, repositoryId: string, work: Work): Promise<void> {
  const installed = await findInstalled(context, repositoryId);
  if (installed === undefined) return;
  const poll = await findPoll(context.connection, repositoryId);
  const before = poll ?? { digest: '', changedAt: context.now() };
  try {
    const digest = await bringUpToDate(context, installed, work);
    const reportedAt = await findReportedChange(context.connection, repositoryId);
    const changedAt = digest === before.digest ? later(before.changedAt, reportedAt) : context.now();
    await postpone(context, installed, { digest, changedAt });
  } catch (error) {
    const retryAt = error instanceof AppError ? error.retryAt : undefined;
    if (!work.call.signal.aborted) await postpone(context, installed, before, retryAt);
    if (isDenied(error)) await recordRefusal(context, installed.repository, error);
    throw error;
  }
}

/** Finds an installed repository with everything that a request for it needs. */
export async function findInstalled(context: SyncContext, repositoryId: string): Promise<Installed | undefined> {
  const repository = await findRepository(context.connection, repositoryId);
  if (repository === undefined || repository.installedAt === null || repository.isDeleted) return undefined;
  const account = await findById(context.connection, repository.ownerId);
  const provider = context.providers.get(repository.provider);
  return account === undefined || provider === undefined ? undefined : { account, provider, repository };
}

/**
 * Stores the last changes, and reads the streams in which they show something new.
 * @returns the digest of the polled state.
 */
export async function bringUpToDate(context: SyncContext, installed: Installed, work: Work): Promise<string> {
  const { account, provider, repository } = installed;
  const { connection } = context;
  const requestedAt = context.now();
  const skips = new SkipCollector(work.call);
  const credentialName = await findPollCredential(context, installed);
  const call = { ...skips.call, ...(credentialName !== undefined && { credentialName }) };
  const tip = (await provider.polls?.readTip(toKnown(account, repository), call)) ?? null;
  if (tip === null) {
    // A request for the repository by its name finds out what became of it.
    await addJob(
      connection,
      collectRepositoryJob({ accountId: account.id, repository: repository.name, withPrivate: true }),
    );
    return '';
  }
  await saveTip(context, installed, tip, requestedAt);
  const target = { repositoryId: repository.id };
  await replaceSkips(context, { provider: provider.name, target, stream: 'tip', seenAt: requestedAt }, skips.take());
  const listed = (await findInstalled(context, repository.id))?.repository;
  if (listed !== undefined) {
    const end = await collectUnlessBusy(context, { account, provider, work }, listed);
    if (end === 'busy') await collectLater(context, listed);
  }
  await inTransaction(connection, (transaction) => recordState(context, transaction, account.id));
  const isProfileOld =
    account.fetchedAt === null || account.fetchedAt.getTime() + context.freshForMs <= requestedAt.getTime();
  if (isProfileOld) await addJob(connection, refreshJob(account.id));
  return createHash('sha256').update(JSON.stringify(tip)).digest('hex');
}

/** Queues another read of a repository: the job that is reading it may have passed the changes of the poll. */
async function collectLater({ connection, now }: SyncContext, { ownerId: accountId, name }: Repository): Promise<void> {
  const runAt = new Date(now().getTime() + busyDelayMs);
  const job = collectRepositoryJob({ accountId, repository: name, withPrivate: true });
  await addJob(connection, { ...job, runAt, keepsRunAt: true });
}

async function saveTip(
  context: SyncContext,
  { account, provider, repository }: Installed,
  tip: RepositoryTip,
  requestedAt: Date,
): Promise<void> {
  const { connection } = context;
  const listed = { account, provider, repositories: [tip.repository], listedAt: requestedAt };
  await inTransaction(connection, (transaction) => saveListed(context, transaction, listed));
  // Another transaction, because this one locks the people of the page, and that one may lock owners.
  await inTransaction(connection, async (transaction) => {
    const read = { repository, page: tip.page, requestedAt, seenAt: requestedAt, actors: new ActorsOfScan() };
    await savePage(context, transaction, read);
    await recordTotalsChanged(transaction, [repository.id]);
  });
}

async function postpone(
  context: SyncContext,
  installed: Installed,
  { digest, changedAt }: Omit<Poll, 'intervalMs'>,
  until?: Date,
): Promise<void> {
  const intervalMs = await findPollInterval(context, installed, changedAt);
  const nextAt = until ?? new Date(context.now().getTime() + intervalMs);
  await savePoll(context.connection, installed.repository.id, { intervalMs, digest, changedAt, nextAt });
}

function later(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}
