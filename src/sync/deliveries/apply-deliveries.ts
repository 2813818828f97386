import type { Connection } from '../../database/connections/connection.ts';
import { catchFailure, inOneTransaction, isLockWait, isTooSlow } from '../../database/connections/transaction.ts';
import { isWorkerAway } from '../../database/connections/unavailable.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import type { Appliers, SyncContext } from '../context.ts';
import { applyChanges } from './apply-changes.ts';
import {
  applyAgainJob,
  countFailure,
  delayKey,
  endLimits,
  haveWaitingKeys,
  lockNextKey,
  type TryLimits,
  takeUnapplied,
  tryLockKey,
  type Unapplied,
} from './store.ts';

/** The most deliveries of one key that are applied together. */
const atOnce = 200;
/**
 * New deliveries and retried ones are applied by transactions of their own, so that any number of keys that wait holds
 * up no other key.
 */
type Which = keyof Appliers;

/** The most transactions of one process that apply deliveries at the same time. */
const mostAppliers: Appliers = { new: 4, retried: 2 };
/** The most keys that one job applies in a row: deliveries keep coming, and other jobs need the worker too. */
const mostKeys: Appliers = { new: 1000, retried: 20 };

/**
 * The limits of a try. A wait for a lock ends before PostgreSQL looks for deadlocks (`deadlock_timeout`, by default a
 * second), so that a cycle of locks ends in another try. A try that is too slow has more time when it is repeated.
 */
const limits: Record<Which, TryLimits> = {
  new: { lockMs: 100, statementMs: 2000 },
  retried: { lockMs: 900, statementMs: null },
};

/**
 * Applies all stored deliveries: queues jobs that read the changes, and hides private and deleted data at once.
 * Deliveries with one key of order are applied one after the other, oldest first; several keys are applied at the same
 * time.
 * @returns `more` when deliveries may be left.
 */
export async function applyDeliveries(context: SyncContext): Promise<'done' | 'more'> {
  const ends = await Promise.all([applyKeys(context, 'new'), retryKeys(context)]);
  return ends.includes('more') ? 'more' : 'done';
}

async function retryKeys(context: SyncContext): Promise<'done' | 'more'> {
  const end = await applyKeys(context, 'retried');
  if (end === 'done' && (await haveWaitingKeys(context.connection))) await addJob(context.connection, applyAgainJob);
  return end;
}

/** Applies one key after the other, and has others applied at the same time as soon as it has found one. */
async function applyKeys(context: SyncContext, which: Which): Promise<'done' | 'more'> {
  const { appliers, connection } = context;
  if (appliers[which] >= mostAppliers[which]) {
    // The others may have found nothing just before the deliveries were stored for which this job was added.
    await addJob(connection, applyAgainJob);
    return 'done';
  }
  const started: Promise<'done' | 'more'>[] = [];
  const startNext = (): void => {
    if (started.length > 0 || appliers[which] >= mostAppliers[which]) return;
    const next = applyKeys(context, which);
    // Its failure is thrown below, unless this one fails before.
    next.catch(() => {});
    started.push(next);
  };
  appliers[which] += 1;
  const end = await applyInTurn(context, which, startNext).finally(() => {
    appliers[which] -= 1;
  });
  const ends = [end, ...(await Promise.all(started))];
  return ends.includes('more') ? 'more' : 'done';
}

async function applyInTurn(context: SyncContext, which: Which, onFound: () => void): Promise<'done' | 'more'> {
  for (let keys = 0; keys < mostKeys[which]; keys += 1) {
    if ((await applyNextKey(context, which, onFound)) === 'done') return 'done';
  }
  return 'more';
}

/**
 * Applies the deliveries of one key in one transaction. Where a worker of a Citus cluster is away, the commit may fail as well.
 * @param onFound called when there is one.
 * @returns `more` when other keys may be left.
 */
async function applyNextKey(context: SyncContext, which: Which, onFound: () => void): Promise<'done' | 'more'> {
  let tried: { key: string; first: Unapplied } | undefined;
  const take = async (transaction: Connection): Promise<'done' | 'more'> => {
    const key = await lockNextKey(transaction, which, limits[which]);
    if (key === undefined) return 'done';
    onFound();
    const deliveries = await takeUnapplied(transaction, key, atOnce);
    const [first] = deliveries;
    if (first !== undefined) {
      tried = { key, first };
      await applyInOrder(context, transaction, { deliveries, which });
      await endLimits(transaction);
      return 'more';
    }
    await tryAgain(transaction);
    return 'done';
  };
  try {
    return await inOneTransaction(context.connection, take);
  } catch (error) {
    if (tried === undefined || !isWorkerAway(error)) throw error;
    const { key, first } = tried;
    await inOneTransaction(context.connection, async (transaction) => {
      // A transaction that has taken the key since the failed commit delays it itself when it fails too.
      if (await tryLockKey(transaction, key)) await delayKey(transaction, first);
      await tryAgain(transaction);
    });
    return 'more';
  }
}

interface Taken {
  deliveries: readonly Unapplied[];
  which: Which;
}

/**
 * Applies deliveries of one key together, or one after the other when that fails, so that one that cannot be applied
 * does not hold up the others.
 */
async function applyInOrder(
  context: SyncContext,
  transaction: Connection,
  { deliveries, which }: Taken,
): Promise<void> {
  const apply = async (part: readonly Unapplied[]): Promise<'applied' | 'failed' | 'waits'> => {
    const failure = await catchFailure(transaction, () => applyChanges(context, transaction, part));
    const [first] = part;
    if (failure === undefined || first === undefined) return 'applied';
    if (isLockWait(failure) || isWorkerAway(failure) || (which === 'new' && isTooSlow(failure))) {
      await delayKey(transaction, first);
      await tryAgain(transaction);
      return 'waits';
    }
    if (part.length === 1) await countFailure(transaction, first);
    context.onFailure(failure, part.length === 1 ? 'applying a delivery' : 'applying deliveries together');
    return 'failed';
  };
  if ((await apply(deliveries)) !== 'failed' || deliveries.length === 1) return;
  for (const delivery of deliveries) {
    if ((await apply([delivery])) === 'waits') return;
  }
}

/** Adds the job that applies keys that wait. All transactions add the same row, and wait for each other's commit. */
async function tryAgain(transaction: Connection): Promise<void> {
  await endLimits(transaction);
  await addJob(transaction, applyAgainJob);
}
