import { Counter, type Registry } from 'prom-client';
import { Value } from 'typebox/value';
import type { Connection } from '../../database/connections/connection.ts';
import { inBatches } from '../../database/connections/in-batches.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import type { Task } from '../../database/queue/queue.ts';
import type { Provider } from '../../hosts/interface/provider.ts';
import { createOutboundClient } from '../../hosts/outbound/client.ts';
import type { Log } from '../../model/log.ts';
import { notifyJob, ReceiverReference } from './jobs.ts';
import { deleteFinished, deleteRecovered, findDueReceivers } from './outbox-store.ts';
import { type NotificationContext, send } from './send.ts';

/** The most receivers with due messages for which jobs are queued each minute. */
const receiversAtOnce = 500;
/** The most messages that one statement deletes. */
const messagesAtOnce = 1000;
const dayMs = 86_400_000;
const sentKeptMs = 30 * dayMs;
/** Messages that were given up are kept for longer, so that the owner can find the cause and have them sent again. */
const deadKeptMs = 365 * dayMs;

/** Messages are sent by https alone, except to hosts that the operator allows. */
export const allowsHttp = false;

/** Opens the notifications about awards: the jobs of this node, and its connections to receivers. */
export function openNotifications(options: {
  connection: Connection;
  providers: ReadonlyMap<string, Provider>;
  /** `host` or `host:port` of receivers that may have private addresses or use http. */
  allowedHosts: ReadonlySet<string>;
  registry: Registry;
  log: Log;
  now: () => Date;
  random: () => number;
}): { tasks: Record<string, Task>; close: () => Promise<void> } {
  const { connection, providers, allowedHosts, registry, log, now, random } = options;
  const outbound = createOutboundClient({ allowedHosts, allowsHttp });
  const tasks = createNotificationTasks({
    connection,
    outbound,
    providers,
    now,
    random,
    onOutcome: createNotificationMetrics(registry),
    onDead: (dead) => log.warn(dead, 'a message about an award was given up'),
  });
  return { tasks, close: () => outbound.close() };
}

/** Returns a counter for the outcomes of attempts to send messages about awards. */
function createNotificationMetrics(registry: Registry): NotificationContext['onOutcome'] {
  const outcomes = new Counter({
    name: 'plaudit_notifications_total',
    help: 'Messages about awards: sent, failed (tried again), dead (given up), withheld (the award, or whose it is, is not shown any more).',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
  });
  return (kind, outcome, count = 1) => outcomes.inc({ kind, outcome }, count);
}

/** Returns the jobs that send messages about awards. */
function createNotificationTasks(context: NotificationContext): Record<string, Task> {
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
        await inBatches(() => deleteFinished(connection, finished, messagesAtOnce));
        await deleteRecovered(connection);
      },
    },
  };
}
