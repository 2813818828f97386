import type { Connection } from '../database/connection.ts';
import { forgetRefusals } from '../database/lookups.ts';
import { runNow } from '../database/queue.ts';
import { boundPolls } from '../repositories/poll-store.ts';

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
 * when an installation is new. A host that still refuses does so at the first request, and each process remembers that.
 */
export async function forgetWaits(connection: Connection, now: Date): Promise<void> {
  const delayedByAllowance = await forgetRefusals(connection);
  await runNow(connection, tasks, now, delayedByAllowance);
  await boundPolls(connection, now);
}
