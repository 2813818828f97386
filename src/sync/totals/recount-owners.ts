import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { endDifferentRankings } from '../../contributions/contributors/ranking-store.ts';
import { countAgain, findLostCounts } from '../../contributions/items/commits-again-store.ts';
import { type Batch, type Checked, checkSummed, checkSums } from '../../contributions/totals/owner-sum-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { addJob, type Job } from '../../database/queue/added-jobs.ts';
import type { Task } from '../../database/queue/queue.ts';
import type { SyncContext } from '../context.ts';
import { recordState } from '../lookups/record-state.ts';

/** The repositories or owners that one job compares. */
const atOnce = 500;
/** The most repositories with lost counts that one night has counted again. */
const maxLost = 100;

const Position = Type.Object({ after: Type.Optional(Type.String()) });

type Check = (transaction: Connection, batch: Batch) => Promise<Checked>;

/** Returns the jobs that compare the sums of owners with their repositories, and look for lost counts, every night, and repair them. */
export function createRecountTasks(context: SyncContext): Record<string, Task> {
  const toTask = (task: string, check: Check, onStart?: () => Promise<void>, onEnd?: Job): Task => ({
    urgency: 'background',
    run: async (payload) => {
      const { after: before } = Value.Parse(Position, payload ?? {});
      if (before === undefined) await onStart?.();
      const after = await recountSome(context, check, before);
      if (after !== undefined) await addJob(context.connection, { task, payload: { after }, key: task, priority: 60 });
      else if (onEnd !== undefined) await addJob(context.connection, onEnd);
    },
  });
  const owners: Job = { task: 'recount_owners', payload: {}, key: 'recount_owners', priority: 60 };
  return {
    recount_repositories: {
      ...toTask('recount_repositories', checkSummed, () => countLost(context), owners),
      schedule: '20 1 * * *',
    },
    recount_owners: toTask('recount_owners', checkOwners(context)),
  };
}

/** Has the commits of repositories counted again of which some were not counted for their people. */
export async function countLost({
  connection,
  onFailure,
}: Pick<SyncContext, 'connection' | 'onFailure'>): Promise<void> {
  const lost = await findLostCounts(connection, maxLost);
  if (lost.length === 0) return;
  onFailure(new Error(`commits of ${lost.length} repositories were not counted for all their people`), 'recounting');
  await inTransaction(connection, (transaction) => countAgain(transaction, lost));
}

/** Returns the check of the sums and lists of owners. */
export function checkOwners({ now }: Pick<SyncContext, 'now'>): Check {
  return async (transaction, batch) => {
    const checked = await checkSums(transaction, batch);
    const ended = await endDifferentRankings(transaction, checked.ids, now());
    return { ...checked, different: [...new Set([...checked.different, ...ended])].toSorted() };
  };
}

/** @returns the position of the next part; undefined at the end. */
export async function recountSome(
  context: SyncContext,
  check: Check,
  after: string | undefined,
): Promise<string | undefined> {
  const checked = await inTransaction(context.connection, (transaction) =>
    check(transaction, { after, limit: atOnce }),
  );
  for (const id of checked.different) {
    context.onFailure(new Error(`sums or lists of the owner ${id} differed from its repositories`), 'recounting');
    await inTransaction(context.connection, (transaction) => recordState(context, transaction, id));
  }
  return checked.last;
}
