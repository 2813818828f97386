import { compareChecked, endChecked, findChecked, moveChecked } from '../contributions/checked-store.ts';
import { recordTotalsChanged } from '../contributions/collection-store.ts';
import { differ, findEndOfDays, findFirstDay } from '../contributions/compare-totals-store.ts';
import { forgetNextCounts, markAddressesInParts } from '../contributions/identity-store.ts';
import { recountPart, type TotalsPart } from '../contributions/recount-store.ts';
import { areCommitsCounted, countNewCommits } from '../contributions/total-store.ts';
import type { Connection } from '../database/connection.ts';
import { inBatches } from '../database/in-batches.ts';
import { inTransaction } from '../database/transaction.ts';
import type { SyncContext } from './context.ts';
import { recordState } from './record-state.ts';

export interface CheckLimits {
  /** The items of one kind, commits, stored days or sums of languages that one statement compares. */
  rows: number;
  /** The parts of that many rows that one call checks. */
  parts: number;
}

export const usualLimits: CheckLimits = { rows: 10_000, parts: 5 };

/**
 * Checks that the next days of a repository agree with its stored contributions, part by part, and after the last day that
 * the totals of people and of the whole agree with the days; the next call begins with the first day then. A part that
 * differs is counted again in a transaction of its own, and the position is stored after each part, so that a stop loses
 * one part at most. Comparing locks nothing; moving the position holds the totals while the part is summed.
 * @returns how many stored totals differed.
 */
export async function checkTotals(
  context: Pick<SyncContext, 'connection' | 'now' | 'providers'>,
  { repositoryId, ownerId }: { repositoryId: string; ownerId: string },
  signal: AbortSignal,
  { rows, parts }: CheckLimits = usualLimits,
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
  const checkSums = async (from: string | null): Promise<number> => {
    const differing = await compareChecked(connection, repositoryId, from);
    const people = differing.includes('people') ? await check('people') : 0;
    const whole = differing.some((name) => name !== 'people') ? await check('whole') : 0;
    if (from !== null) await endChecked(connection, repositoryId, from);
    return people + whole;
  };
  await inBatches(() => forgetNextCounts(connection));
  await countNew(connection, repositoryId, { rows, signal });
  let differences = 0;
  let from = await findChecked(connection, repositoryId);
  for (let part = 0; part < parts; part += 1) {
    const until = await findEndOfDays(connection, repositoryId, from, rows);
    // Without a first day, PostgreSQL expects nearly all days before the second one, and reads all of the repository.
    const days = { from: from ?? (await findFirstDay(connection, repositoryId)), until };
    differences += await check(days);
    differences += await check({ languages: days });
    if (until === null) {
      differences += await checkSums(from);
      break;
    }
    const position = { from, until };
    if (!(await inTransaction(connection, (to) => moveChecked(to, repositoryId, position)))) break;
    from = until;
  }
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
