import { recordTotalsChanged } from '../contributions/collection-store.ts';
import { daysInParts, differ } from '../contributions/compare-totals-store.ts';
import { forgetNextCounts, markAddressesInParts } from '../contributions/identity-store.ts';
import { recountPart, type TotalsPart } from '../contributions/recount-store.ts';
import { areCommitsCounted, countNewCommits } from '../contributions/total-store.ts';
import type { Connection } from '../database/connection.ts';
import { inBatches } from '../database/in-batches.ts';
import { inTransaction } from '../database/transaction.ts';
import type { SyncContext } from './context.ts';
import { recordState } from './record-state.ts';

/** The items of one kind, commits, stored days or sums of languages that one statement compares, some tenths of a second for all of them. */
const rowsAtOnce = 10_000;

/**
 * Checks that the totals of a repository agree with its stored contributions, part by part, without a lock: its events do not
 * wait. A part that differs is counted again in a transaction of its own, so that a stop keeps the repaired parts.
 * @returns how many stored totals differed.
 */
export async function checkTotals(
  context: Pick<SyncContext, 'connection' | 'now' | 'providers'>,
  { repositoryId, ownerId }: { repositoryId: string; ownerId: string },
  signal: AbortSignal,
  rows = rowsAtOnce,
): Promise<number> {
  const { connection } = context;
  const check = async (part: TotalsPart): Promise<number> => {
    signal.throwIfAborted();
    if (!(await differ(connection, repositoryId, part))) return 0;
    // A change between the two statements is no difference.
    const different = await inTransaction(connection, (to) => recountPart(to, repositoryId, part));
    // A transaction of its own, because accounts are locked before totals.
    if (different > 0) await inTransaction(connection, (to) => recordState(context, to, ownerId));
    return different;
  };
  await inBatches(() => forgetNextCounts(connection));
  await countNew(connection, repositoryId, { rows, signal });
  let differences = 0;
  for await (const days of daysInParts(connection, repositoryId, rows)) {
    differences += await check(days);
    differences += await check({ languages: days });
  }
  for (const part of ['people', 'whole'] as const) differences += await check(part);
  await inTransaction(connection, (transaction) => recordTotalsChanged(transaction, repositoryId));
  return differences;
}

/** Counts new commits in parts, because a part of the totals is counted again with all of them. */
async function countNew(
  connection: Connection,
  repositoryId: string,
  { rows, signal }: { rows: number; signal: AbortSignal },
): Promise<void> {
  if (!(await areCommitsCounted(connection, repositoryId))) return;
  await markAddressesInParts(connection, repositoryId, { rows, signal });
  let counted = rows;
  while (counted === rows) {
    signal.throwIfAborted();
    counted = await inTransaction(connection, (to) => countNewCommits(to, repositoryId, rows));
  }
}
