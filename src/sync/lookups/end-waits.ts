import { boundPolls } from '../../accounts/repositories/poll-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { inBatches } from '../../database/connections/transaction.ts';
import type { Job } from '../../database/queue/added-jobs.ts';
import { deleteRefusals, findDelayedByAllowance } from '../../database/queue/lookups.ts';
import { runNow } from '../../database/queue/queue.ts';

/** The most lookups that one statement deletes. */
const refusalsAtOnce = 1000;
/** The most polls that one statement reads. */
const pollsAtOnce = 10_000;

/** Ends all stored waits (see `endWaits`). */
export const endWaitsJob: Job = { task: 'end_waits', payload: {}, key: 'end_waits', priority: 5 };

/** Tasks that are delayed when a host refuses requests. */
const tasks = [
  'look_up',
  'refresh',
  'fetch_reported_totals',
  'fetch_calendar',
  'fetch_window',
  'collect',
  'collect_repository',
  'welcome',
  'poll_repository',
];

/**
 * Ends every stored wait for a host's quota, because there may be another credential: at the start of a process, and
 * when an installation is new. Each statement is a transaction of its own. A host that still refuses does so at the first request, and each process remembers that.
 */
export async function endWaits(connection: Connection, now: Date): Promise<void> {
  await inBatches(() => deleteRefusals(connection, refusalsAtOnce), Number.POSITIVE_INFINITY);
  await runNow(connection, tasks, now, await findDelayedByAllowance(connection));
  let after: string | null = null;
  do after = await boundPolls(connection, now, { after, limit: pollsAtOnce });
  while (after !== null);
}
