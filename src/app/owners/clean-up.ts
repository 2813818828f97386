import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { eraseHidden, eraseNextRepositories } from '../../accounts/repositories/erase-store.ts';
import { findDeleted } from '../../accounts/store.ts';
import { emptyAccount } from '../../accounts/visibility/erase-store.ts';
import { endOldRankings, removeEnded, removeReplaced } from '../../contributions/contributors/ranking-store.ts';
import { findUncounted, findUnmarked } from '../../contributions/items/commits-again-store.ts';
import { removeErasedRows } from '../../contributions/items/erase-store.ts';
import { findWithFormerNames, markNextUncounted, releaseAddresses } from '../../contributions/items/identity-store.ts';
import { cleanUpJob, collectRepositoryJob } from '../../contributions/items/jobs.ts';
import { deleteStarEvents } from '../../contributions/items/star-store.ts';
import { changesKeptMs, deleteChanges } from '../../contributions/totals/change-log-store.ts';
import { removeOutlivedCounters } from '../../contributions/totals/counter-store.ts';
import { inBatches, inTransaction } from '../../database/connections/transaction.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import { deleteOutcomes } from '../../database/queue/lookups.ts';
import type { Task } from '../../database/queue/queue.ts';
import { takeErasureLock } from '../../database/schema/erasure.ts';
import { historyStream } from '../../hosts/interface/streams.ts';
import type { SyncContext } from '../../sync/context.ts';
import { starEventsKeptMs } from '../../sync/deliveries/apply-changes.ts';
import { deleteRejections } from '../../sync/deliveries/rejection-store.ts';
import { deleteDeliveries } from '../../sync/deliveries/store.ts';
import { deleteDrifts } from '../../sync/streams/drift-store.ts';
import { recordStreamChange, wantFullScan } from '../../sync/streams/stream-store.ts';
import { eraseNext } from './erasure/erase.ts';

/** The time, in ms, after which data that its provider deleted is erased. */
const gracePeriodMs = 30 * 86_400_000;
/** The time, in ms, for which cursors into a replaced version of a list of contributors stay valid. */
const replacedKeptMs = 3_600_000;
/** The time, in ms, after which a list of contributors ends, because it may be read no more. */
const rankingsKeptMs = 30 * 86_400_000;
/** The time, in ms, for which a repeated delivery is recognized. */
const deliveriesKeptMs = 30 * 86_400_000;
/** The time, in ms, for which repaired drifts are kept for the operator. */
const driftsKeptMs = 30 * 86_400_000;
/** The most repositories that one run counts again. */
const maxUncounted = 100;
/** The time, in ms, for which a rename has addresses looked up: each run continues with the next repositories. */
const namesLeftMs = 30 * 86_400_000;
/** The most histories that one run has read again after an upgrade: over a thousand a day. */
const maxUnmarked = 10;
/** The most rows of erased repositories that one run removes. */
const erasedRowsAtOnce = 250_000;
/** The most rows that one statement deletes. */
const atOnce = {
  repositories: 10,
  addresses: 1000,
  outcomes: 1000,
  counted: 500,
  ranks: 10_000,
  rankings: 10,
  changes: 10_000,
  others: 5000,
};

type CleaningContext = Pick<SyncContext, 'connection' | 'now'>;

const Position = Type.Object({ after: Type.Optional(Type.String()) });

/** Returns the jobs that remove data whose time is over. */
export function createCleaningTasks(context: CleaningContext): Record<string, Task> {
  return {
    clean_up: {
      urgency: 'background',
      schedule: '*/10 * * * *',
      run: async () => {
        if ((await cleanUp(context)) === 'more') await addJob(context.connection, cleanUpJob);
      },
    },
    clean_counters: {
      urgency: 'background',
      schedule: '40 3 * * *',
      run: (payload) => cleanCounters(context, Value.Parse(Position, payload ?? {}).after),
    },
  };
}

async function cleanUp({ connection, now }: CleaningContext): Promise<'done' | 'more'> {
  const before = (agoMs: number): Date => new Date(now().getTime() - agoMs);
  const uncounted = await inBatches(() => markNextUncounted(connection));
  await countUncounted(connection);
  await readUnmarked(connection, now());
  await lookUpFormerNames(connection, now());
  const erased = before(gracePeriodMs);
  const old = { before: before(rankingsKeptMs), now: now() };
  const ends = [
    uncounted,
    await inBatches(() => deleteOutcomes(connection, now(), atOnce.outcomes)),
    await inBatches(() => eraseHidden(connection, erased, atOnce.repositories)),
    await inBatches(() =>
      eraseNextRepositories(connection, { repositories: atOnce.repositories, rows: atOnce.others }),
    ),
    await inBatches(() => removeReplaced(connection, before(replacedKeptMs), atOnce.ranks)),
    await inBatches(() => endOldRankings(connection, { ...old, limit: atOnce.rankings })),
    await inBatches(() => removeEnded(connection, atOnce.ranks)),
    await inBatches(() => deleteChanges(connection, before(changesKeptMs), atOnce.changes)),
    await inBatches(() => deleteDeliveries(connection, before(deliveriesKeptMs), atOnce.others)),
    await inBatches(() => deleteStarEvents(connection, before(starEventsKeptMs), atOnce.others)),
    await inBatches(() => deleteDrifts(connection, before(driftsKeptMs), atOnce.others)),
  ];
  // One account after the other, because readers of awards compare with all that are being erased.
  ends.push(
    await inBatches(
      async () => (await eraseNext(connection, now())) || (await beginNextErasure(connection, erased, now())),
    ),
  );
  ends.push(await removeErasedRows(connection, erasedRowsAtOnce));
  await deleteRejections(connection, before(deliveriesKeptMs));
  return ends.includes('more') ? 'more' : 'done';
}

/**
 * Begins the erasure of one account that its host deleted before `before`. It may be stored again, as another account. Each
 * account has a transaction of its own, because it may be announced to thousands of owners; `eraseNext` releases the rest
 * of its addresses.
 * @returns how many.
 */
async function beginNextErasure(connection: CleaningContext['connection'], before: Date, now: Date): Promise<number> {
  // Otherwise each run would keep out all that store people.
  if ((await findDeleted(connection, before, 1)).length === 0) return 0;
  return inTransaction(connection, async (transaction) => {
    await takeErasureLock(transaction);
    const [id] = await findDeleted(transaction, before, 1);
    if (id === undefined) return 0;
    await emptyAccount(transaction, id, now);
    await releaseAddresses(transaction, id, atOnce.addresses);
    return 1;
  });
}

/** Removes outlived counters of some accounts, and queues the accounts after them. */
async function cleanCounters({ connection }: CleaningContext, after: string | undefined): Promise<void> {
  await inTransaction(connection, async (transaction) => {
    const next = await removeOutlivedCounters(transaction, { after, limit: atOnce.counted });
    if (next === undefined) return;
    await addJob(transaction, {
      task: 'clean_counters',
      payload: { after: next },
      key: 'clean_counters',
      priority: 60,
    });
  });
}

/** Queues another count of commits that have to be counted again and for which no job is left: reading the history counts them. */
async function countUncounted(connection: SyncContext['connection']): Promise<void> {
  for (const { ownerId, name } of await findUncounted(connection, maxUncounted)) {
    await addJob(connection, collectRepositoryJob({ accountId: ownerId, repository: name, withPrivate: true }));
  }
}

/** Queues lookups of addresses whose persons have other names now, so that the present response of the host decides. */
async function lookUpFormerNames(connection: SyncContext['connection'], now: Date): Promise<void> {
  const since = new Date(now.getTime() - namesLeftMs);
  for (const { id, ownerId, name } of await findWithFormerNames(connection, { since, limit: maxUncounted })) {
    await recordStreamChange(connection, id, [historyStream.name], now);
    await addJob(connection, collectRepositoryJob({ accountId: ownerId, repository: name, withPrivate: true }));
  }
}

/** Queues a whole scan of histories that were stored by a release that did not keep subjects of commits. */
async function readUnmarked(connection: SyncContext['connection'], now: Date): Promise<void> {
  for (const { id, ownerId, name } of await findUnmarked(connection, maxUnmarked)) {
    await wantFullScan(connection, id, [historyStream.name], now);
    await addJob(connection, collectRepositoryJob({ accountId: ownerId, repository: name, withPrivate: true }));
  }
}
