import { checkAdministratorJob, lookUpJob, refreshJob } from '../accounts/jobs.ts';
import { findKnown, wantListing } from '../accounts/mention-store.ts';
import { findReportedCalendar } from '../contributions/calendar-store.ts';
import { calendarJob, collectJob, collectRepositoryJob } from '../contributions/jobs.ts';
import type { Connection } from '../database/connection.ts';
import { claimLookupWithin } from '../database/lookups.ts';
import { addJob, type Job } from '../database/queue.ts';
import { inTransaction } from '../database/transaction.ts';
import { type DeliveredChange, recordApplied } from '../deliveries/owner-store.ts';
import {
  applyJob,
  countFailure,
  markApplied,
  takeUnapplied,
  tryApplierLock,
  type Unapplied,
} from '../deliveries/store.ts';
import type { Change } from '../providers/provider.ts';
import { hideRepository } from '../repositories/hide-store.ts';
import { findByExternalIds, type Repository } from '../repositories/store.ts';
import { applyStar } from './apply-star.ts';
import type { SyncContext } from './context.ts';
import { followInstallation } from './installations/settle.ts';
import { pollJob } from './poll-repository.ts';
import { recordVisibility } from './record-state.ts';
import { wantScanFor } from './removal-store.ts';
import { recordStreamChange } from './stream-store.ts';

/**
 * Delays in ms. They let the work on a burst of changes be done once, and give the provider's own copies the time to
 * agree.
 */
const restMs = { repository: 1000, account: 3000, whileOthersApply: 1000 };

/** The most deliveries that are applied together. */
const atOnce = 200;
/** The most rounds of one job: deliveries keep coming, and other jobs need the worker too. */
const maxRounds = 50;

/**
 * Applies all stored deliveries: queues jobs that read the changes, and hides private and deleted data at once.
 * @returns `more` when deliveries may be left.
 */
export async function applyDeliveries(context: SyncContext): Promise<'done' | 'more'> {
  for (let round = 0; round < maxRounds; round += 1) {
    const applied = await applyTogether(context, atOnce).catch((error: unknown) => {
      context.onFailure(error, 'applying deliveries together');
      return applyEach(context);
    });
    if (applied === 0) return 'done';
  }
  return 'more';
}

/**
 * Applies several deliveries or none; a change that several of them report is applied once.
 * @returns the number of deliveries.
 */
async function applyTogether(context: SyncContext, limit: number): Promise<number> {
  return alone(context, async (transaction) => {
    const deliveries = await takeUnapplied(transaction, limit);
    await applyChanges(context, transaction, deliveries);
    return deliveries.length;
  });
}

/** Runs `apply` in a transaction. While another process applies deliveries, it queues another try and returns 0. */
async function alone(context: SyncContext, apply: (transaction: Connection) => Promise<number>): Promise<number> {
  return inTransaction(context.connection, async (transaction) => {
    if (await tryApplierLock(transaction)) return apply(transaction);
    await addJob(transaction, later(context, applyJob, restMs.whileOthersApply));
    return 0;
  });
}

/** Applies deliveries one after the other, so that one that cannot be applied does not hold up the others. */
async function applyEach(context: SyncContext): Promise<number> {
  const deliveries = await takeUnapplied(context.connection, atOnce);
  let applied = 0;
  for (const delivery of deliveries) {
    try {
      applied += await alone(context, async (transaction) => {
        await applyChanges(context, transaction, [delivery]);
        return 1;
      });
    } catch (error) {
      context.onFailure(error, 'applying a delivery');
      await countFailure(context.connection, delivery);
    }
  }
  return applied;
}

async function applyChanges(
  context: SyncContext,
  transaction: Connection,
  deliveries: readonly Unapplied[],
): Promise<void> {
  const distinct = new Map<string, DeliveredChange>();
  for (const { provider, id, changes } of deliveries) {
    for (const change of changes) {
      // Two deliveries can report the same about a star that was given, taken back and given again within a second.
      const delivery = change.what === 'star' ? id : null;
      distinct.set(JSON.stringify([provider, change, delivery]), { provider, change });
    }
  }
  // All transactions apply changes in one order, so that they cannot deadlock.
  const ordered = [...distinct].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const repositories = await findChanged(transaction, [...distinct.values()]);
  for (const [, delivered] of ordered) {
    await applyChange(context, transaction, delivered, repositories.get(keyOf(delivered)));
  }
  if (deliveries.length === 0) return;
  await markApplied(transaction, deliveries, context.now());
  await recordApplied(transaction, [...distinct.values()], context.now());
}

/** Finds the stored repositories of changes, each once for all changes about it. */
async function findChanged(
  transaction: Connection,
  delivered: readonly DeliveredChange[],
): Promise<Map<string, Repository>> {
  const idsOf = new Map<string, Set<string>>();
  for (const { provider, change } of delivered) {
    if ('repository' in change) idsOf.set(provider, (idsOf.get(provider) ?? new Set()).add(change.repository));
  }
  const found = new Map<string, Repository>();
  for (const [provider, ids] of idsOf) {
    for (const [id, repository] of await findByExternalIds(transaction, provider, [...ids])) {
      found.set(`${provider} ${id}`, repository);
    }
  }
  return found;
}

function keyOf({ provider, change }: DeliveredChange): string {
  return 'repository' in change ? `${provider} ${change.repository}` : '';
}

/** @param repository the stored repository that the change is about, hidden ones too. */
async function applyChange(
  context: SyncContext,
  transaction: Connection,
  { provider, change }: DeliveredChange,
  repository: Repository | undefined,
): Promise<void> {
  switch (change.what) {
    case 'account':
      return refreshKnown(context, transaction, { provider, externalId: change.account, name: change.name });
    case 'administrator':
      return addJob(transaction, later(context, checkAdministratorJob({ provider, ...change }), restMs.account));
    case 'owned':
      return list(context, transaction, { provider, externalId: change.account, name: change.name });
    case 'contributions':
      return collect(context, transaction, { provider, change, repository });
    case 'reactions':
      return poll(context, transaction, repository);
    case 'hidden':
      return hide(context, transaction, repository, change);
    case 'installation':
      return followInstallation(context, transaction, provider, change);
    case 'star':
      return applyStar(context, transaction, repository, change);
    case 'removed':
      return checkRemoved(context, transaction, repository, change);
  }
}

/** Refreshes a known account. An account that no client has requested is not fetched now either. */
async function refreshKnown(
  context: SyncContext,
  transaction: Connection,
  mention: { provider: string; externalId: string; name: string },
): Promise<void> {
  const known = await findKnown(transaction, mention);
  if (known === undefined || known.fetchedAt === null) return;
  await addJob(transaction, later(context, refreshJob(known.id), restMs.account));
  const calendar = await findReportedCalendar(transaction, known.id);
  if (calendar !== undefined) await addJob(transaction, later(context, calendarJob(known.id), restMs.account));
}

async function list(
  context: SyncContext,
  transaction: Connection,
  mention: { provider: string; externalId: string | null; name: string },
): Promise<void> {
  const known = await findKnown(transaction, mention);
  // An unknown account is only looked up; its repositories are listed when a client requests them.
  if (known === undefined) {
    // An account without a name cannot be looked up.
    if (mention.name === '') return;
    await claimLookupWithin(transaction, lookUpJob(mention), context.now());
    return;
  }
  await wantListing(transaction, known.id, context.now());
  await addJob(transaction, later(context, collectJob(known.id), restMs.repository));
}

async function collect(
  context: SyncContext,
  transaction: Connection,
  delivered: {
    provider: string;
    change: Extract<Change, { what: 'contributions' }>;
    repository: Repository | undefined;
  },
): Promise<void> {
  const { provider, change, repository } = delivered;
  if (repository === undefined) {
    return list(context, transaction, { provider, externalId: change.owner, name: change.ownerName });
  }
  const { ownerId: accountId, name } = repository;
  await recordStreamChange(transaction, repository.id, change.streams, context.now());
  const job = collectRepositoryJob({ accountId, repository: name, withPrivate: true });
  await addJob(transaction, later(context, job, restMs.repository));
}

/** Queues a poll of an installed repository, which reads its last changes and their reactions. */
async function poll(context: SyncContext, transaction: Connection, repository: Repository | undefined): Promise<void> {
  if (repository !== undefined) await addJob(transaction, later(context, pollJob(repository.id), restMs.repository));
}

async function hide(
  context: SyncContext,
  transaction: Connection,
  repository: Repository | undefined,
  { onlyPrivate }: Extract<Change, { what: 'hidden' }>,
): Promise<void> {
  if (repository === undefined || (onlyPrivate && !repository.isPrivate)) return;
  await hideRepository(transaction, repository.id, context.now());
  await recordVisibility(context, transaction, repository.ownerId);
}

/**
 * Requests the lists in which a stored item must be absent to be removed. The job that reads them is queued by the
 * change of contributions that every such delivery reports as well.
 */
async function checkRemoved(
  { now }: SyncContext,
  transaction: Connection,
  repository: Repository | undefined,
  { kind, externalId }: Extract<Change, { what: 'removed' }>,
): Promise<void> {
  if (repository === undefined) return;
  await wantScanFor(transaction, { repositoryId: repository.id, kind, externalId }, now());
}

function later({ now }: SyncContext, job: Job, restForMs: number): Job {
  return { ...job, runAt: new Date(now().getTime() + restForMs), keepsRunAt: true };
}
