import { lockTotals } from '../../contributions/items/write-store.ts';
import { doLanguagesDiffer, recountLanguages } from '../../contributions/languages/recount-store.ts';
import { needsLanguages } from '../../contributions/languages/store.ts';
import { daysInParts } from '../../contributions/totals/compare-totals-store.ts';
import { recountNextDays } from '../../contributions/totals/recount-commits-store.ts';
import { areCommitsCounted } from '../../contributions/totals/total-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { AppError } from '../../model/errors.ts';
import { recountCommitsOf, recountLanguagesOf } from '../totals/recount-large-day.ts';

/** The most counts of a large day, which may change meanwhile, by one call. */
const countsOfDay = 3;

/** The repository whose commits are counted again; `rows` is the most that one transaction counts again. */
interface Recount {
  repositoryId: string;
  rows: number;
  signal: AbortSignal;
}

/**
 * Counts all commits of a repository again where that is necessary, some days in each transaction, so that events do not
 * wait. A large day that changes while its languages are counted is left to the nightly check.
 * @throws AppError `conflict` when a large day changes each time it is counted; another job continues with it.
 */
export async function recountCommits(connection: Connection, recount: Recount): Promise<void> {
  const { repositoryId, rows, signal } = recount;
  if (await areCommitsCounted(connection, repositoryId)) return;
  let changes = 0;
  for (;;) {
    signal.throwIfAborted();
    const next = await inTransaction(connection, (to) => recountNextDays(to, repositoryId, rows));
    if (next === 'done') break;
    if (next === 'more') continue;
    const { isComplete } = await recountCommitsOf(connection, { repositoryId, days: next, signal }, rows);
    changes = isComplete ? 0 : changes + 1;
    if (changes === countsOfDay) throw new AppError('conflict', 'A day of commits changed each time it was counted.');
  }
  if (await needsLanguages(connection, repositoryId)) await recountAllLanguages(connection, recount);
}

async function recountAllLanguages(connection: Connection, { repositoryId, rows, signal }: Recount): Promise<void> {
  for await (const { isLarge, ...days } of daysInParts(connection, repositoryId, rows)) {
    signal.throwIfAborted();
    if (isLarge) {
      await recountLanguagesOf(connection, { repositoryId, days, signal }, rows);
    } else if (await doLanguagesDiffer(connection, repositoryId, days)) {
      await inTransaction(connection, async (transaction) => {
        await lockTotals(transaction, repositoryId);
        await recountLanguages(transaction, repositoryId, days);
      });
    }
  }
}
