import { Type } from 'typebox';
import { findKnown, wantListing } from '../accounts/hint-store.ts';
import { lookUpJob, refreshJob } from '../accounts/jobs.ts';
import { removeContribution } from '../contributions/contribution-store.ts';
import { collectJob, collectRepositoryJob } from '../contributions/jobs.ts';
import { recountRepository } from '../contributions/total-store.ts';
import type { Connection } from '../database/connection.ts';
import { addJob, type Job } from '../database/queue.ts';
import { inTransaction } from '../database/transaction.ts';
import { findUnapplied, markApplied } from '../deliveries/store.ts';
import type { Change } from '../providers/provider.ts';
import { findByExternalId, markRepositoryGone } from '../repositories/store.ts';
import type { SyncContext } from './context.ts';
import { recordVisibility } from './record-state.ts';

/** What a job about a delivery is told. */
export const DeliveryReference = Type.Object({ provider: Type.String(), id: Type.String() });

/** What happens in a burst is looked at once; and the provider's own copies have the time to agree. */
const restMs = { repository: 1000, account: 3000 };

/** Has everything looked at that a delivery hints at, and hides at once what must not be shown; once, all or nothing. */
export async function applyDelivery(
  context: SyncContext,
  { provider, id }: { provider: string; id: string },
): Promise<void> {
  await inTransaction(context.connection, async (transaction) => {
    const changes = (await findUnapplied(transaction, provider, id)) ?? [];
    for (const change of changes) await applyChange(context, transaction, provider, change);
    await markApplied(transaction, provider, id, context.now());
  });
}

async function applyChange(
  context: SyncContext,
  transaction: Connection,
  provider: string,
  change: Change,
): Promise<void> {
  switch (change.what) {
    case 'account':
      return refreshKnown(context, transaction, { provider, externalId: change.account });
    case 'owned':
      return list(context, transaction, { provider, externalId: change.account, name: change.name });
    case 'contributions':
      return collect(context, transaction, provider, change);
    case 'hidden':
      return hide(context, transaction, provider, change);
    case 'removed':
      return remove(context, transaction, provider, change);
  }
}

/** Somebody whom nobody ever asked for is not asked for now either. */
async function refreshKnown(
  context: SyncContext,
  transaction: Connection,
  asked: { provider: string; externalId: string },
): Promise<void> {
  const known = await findKnown(transaction, asked);
  if (known === undefined || known.askedAt === null) return;
  await addJob(transaction, later(context, refreshJob(known.id), restMs.account));
}

async function list(
  context: SyncContext,
  transaction: Connection,
  asked: { provider: string; externalId: string; name: string },
): Promise<void> {
  const known = await findKnown(transaction, asked);
  // It is listed once somebody asks for it.
  if (known === undefined) {
    await addJob(transaction, lookUpJob(asked));
    return;
  }
  await wantListing(transaction, known.id, context.now());
  await addJob(transaction, later(context, collectJob(known.id), restMs.repository));
}

async function collect(
  context: SyncContext,
  transaction: Connection,
  provider: string,
  change: Extract<Change, { what: 'contributions' }>,
): Promise<void> {
  const repository = await findByExternalId(transaction, provider, change.repository);
  if (repository === undefined) {
    return list(context, transaction, { provider, externalId: change.owner, name: change.ownerName });
  }
  const { ownerId: accountId, name } = repository;
  const job = collectRepositoryJob({ accountId, repository: name, withPrivate: true });
  await addJob(transaction, later(context, job, restMs.repository));
}

async function hide(
  context: SyncContext,
  transaction: Connection,
  provider: string,
  { repository: externalId, onlyPrivate }: Extract<Change, { what: 'hidden' }>,
): Promise<void> {
  const repository = await findByExternalId(transaction, provider, externalId);
  if (repository === undefined || (onlyPrivate && !repository.isPrivate)) return;
  await markRepositoryGone(transaction, repository.id, context.now());
  await recordVisibility(context, transaction, repository.ownerId);
}

async function remove(
  context: SyncContext,
  transaction: Connection,
  provider: string,
  { repository: externalId, kind, externalId: item }: Extract<Change, { what: 'removed' }>,
): Promise<void> {
  const repository = await findByExternalId(transaction, provider, externalId);
  if (repository === undefined) return;
  await removeContribution(transaction, { repositoryId: repository.id, kind, externalId: item });
  if (await recountRepository(transaction, repository.id)) {
    await recordVisibility(context, transaction, repository.ownerId);
  }
}

function later({ now }: SyncContext, job: Job, restForMs: number): Job {
  return { ...job, runAt: new Date(now().getTime() + restForMs), keepsRunAt: true };
}
