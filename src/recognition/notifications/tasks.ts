import { Value } from 'typebox/value';
import { inBatches } from '../../database/connections/in-batches.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import type { Task } from '../../database/queue/queue.ts';
import { notifyJob, ReceiverReference } from './jobs.ts';
import { findDueReceivers, forgetFinished, forgetRecovered } from './outbox-store.ts';
import { type NotificationContext, send } from './send.ts';

/** The most receivers with due messages for which jobs are queued each minute. */
const receiversAtOnce = 500;
/** The most messages that one statement deletes. */
const messagesAtOnce = 1000;
const dayMs = 86_400_000;
const sentKeptMs = 30 * dayMs;
/** Messages that were given up are kept for longer, so that the owner can find the cause and have them sent again. */
const deadKeptMs = 365 * dayMs;

/** Returns the jobs that send messages about awards. */
export function createNotificationTasks(context: NotificationContext): Record<string, Task> {
  const { connection, now } = context;
  return {
    notify: {
      urgency: 'background',
      run: (payload, signal) => send(context, Value.Parse(ReceiverReference, payload).receiver, signal),
    },
    notify_due: {
      urgency: 'background',
      schedule: '* * * * *',
      run: async () => {
        const due = await findDueReceivers(connection, now(), receiversAtOnce);
        for (const receiver of due) await addJob(connection, notifyJob(receiver));
        const before = (agoMs: number): Date => new Date(now().getTime() - agoMs);
        const finished = { sent: before(sentKeptMs), dead: before(deadKeptMs) };
        await inBatches(() => forgetFinished(connection, finished, messagesAtOnce));
        await forgetRecovered(connection);
      },
    },
  };
}
