import { reconcileJob } from '../accounts/installations/jobs.ts';
import { addJob, type Job } from '../database/queue/added-jobs.ts';
import type { Task } from '../database/queue/queue.ts';
import { correctFutureTimes } from '../database/schema/future-store.ts';
import type { SyncContext } from './context.ts';
import { endWaits, endWaitsJob } from './lookups/end-waits.ts';
import { withdrawLostCredentials } from './lookups/lost-access.ts';

/** The jobs of each start. Where times have to be corrected, they read all tables, so the node listens before they end. */
const jobs: readonly Job[] = [{ task: 'correct_times', payload: {}, key: 'correct_times', priority: 5 }, endWaitsJob];

/**
 * Withdraws lost credentials before the first response of a node, and queues the other work of a start. Must be called after
 * the providers have their installations.
 */
export async function beginWork(context: SyncContext): Promise<void> {
  await withdrawLostCredentials(context);
  const hasApp = [...context.providers.values()].some(({ app }) => app !== undefined);
  for (const job of hasApp ? [...jobs, reconcileJob] : jobs) await addJob(context.connection, job);
}

/** Returns the jobs of a start. */
export function createStartTasks({ connection, now }: SyncContext): Record<string, Task> {
  return {
    correct_times: { urgency: 'interactive', run: () => correctFutureTimes(connection, now()) },
    end_waits: { urgency: 'interactive', run: () => endWaits(connection, now()) },
  };
}
