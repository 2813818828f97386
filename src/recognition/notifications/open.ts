import { setTimeout as wait } from 'node:timers/promises';
import { Counter, type Registry } from 'prom-client';
import { Value } from 'typebox/value';
import type { Connection } from '../../database/connections/connection.ts';
import { inBatches } from '../../database/connections/transaction.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import type { Task } from '../../database/queue/queue.ts';
import type { Notifier } from '../../hosts/interface/notifier.ts';
import type { Provider } from '../../hosts/interface/provider.ts';
import { createOutboundClient, type OutboundClient } from '../../hosts/outbound/client.ts';
import type { Log } from '../../model/log.ts';
import type { Attempt, Kind, Outcome } from './notification.ts';
import {
  claimNext,
  deleteFinished,
  deleteRecovered,
  findDueReceivers,
  findNextAttempt,
  notifyJob,
  ReceiverReference,
  recordFailed,
  recordSent,
} from './outbox-store.ts';
import { findSigningSecrets, retryUnsigned } from './secrets/store.ts';
import { comment, discordMessage, post, signedMessage, slackMessage } from './senders.ts';

const noSecret = 'has no secret yet: the owner makes one in the settings, or with PUT .../webhook-secrets';
/** The time slice of one receiver, in ms, so that other receivers get their messages soon. */
const timeSliceMs = 60_000;
/**
 * The pauses between two messages, in ms. GitHub requires a second between two writing requests.
 * https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api
 */
const pausesMs: Partial<Record<Kind, number>> = { github: 1000 };

export interface NotificationContext {
  connection: Connection;
  outbound: OutboundClient;
  providers: ReadonlyMap<string, { notifier?: Notifier | undefined }>;
  now: () => Date;
  /** Returns a number from 0 to 1. */
  random: () => number;
  onOutcome: (kind: Kind, outcome: 'sent' | 'failed' | 'dead' | 'withheld', count?: number) => void;
  /** Receives the id of each notification that was given up, never its address. */
  onDead: (dead: { notification: string; kind: Kind; reason: string; count: number }) => void;
}

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

/**
 * Sends a receiver's due messages, one after the other, until none is left, one fails or the time slice ends. Queues
 * a job for the next attempt if messages still wait.
 */
export async function send(context: NotificationContext, receiver: string, signal: AbortSignal): Promise<void> {
  const { connection, now, random } = context;
  const sliceEnd = now().getTime() + timeSliceMs;
  await retryUnsigned(connection, receiver, now());
  for (let isFirst = true; now().getTime() < sliceEnd; isFirst = false) {
    signal.throwIfAborted();
    const claimed = await claimNext(connection, receiver, { now: now(), random: random() });
    if (claimed === undefined) break;
    if (claimed.isWithheld) {
      context.onOutcome(claimed.kind, 'withheld');
      continue;
    }
    if (!isFirst) await wait(pausesMs[claimed.kind] ?? 0, undefined, { signal });
    const hasFailed = await sendAndRecord(context, claimed, signal);
    if (hasFailed) break;
  }
  const next = await findNextAttempt(connection, receiver);
  if (next !== undefined) await addJob(connection, { ...notifyJob(receiver), runAt: next, keepsRunAt: true });
}

/** Sends a message, and records its outcome. @returns true when the attempt failed. */
async function sendAndRecord(context: NotificationContext, claimed: Attempt, signal: AbortSignal): Promise<boolean> {
  const { connection, now, random } = context;
  const { id, kind } = claimed;
  const result = await sendOne(context, claimed, signal);
  if (result.outcome === 'sent') {
    await recordSent(connection, claimed, now());
    context.onOutcome(kind, 'sent');
    return false;
  }
  const { reason, isFinal = false, retryAt } = result;
  const count = await recordFailed(connection, claimed, { reason, isFinal, retryAt }, { now: now(), random: random() });
  if (count === 0) {
    context.onOutcome(kind, 'failed');
  } else {
    context.onOutcome(kind, 'dead', count);
    context.onDead({ notification: id, kind, reason, count });
  }
  return true;
}

async function sendOne(context: NotificationContext, claimed: Attempt, signal: AbortSignal): Promise<Outcome> {
  const { target, kind, content } = claimed;
  const options = { now: context.now(), signal };
  if ('repository' in target) {
    return comment(context.providers.get(claimed.provider)?.notifier, { ...claimed, target }, signal);
  }
  const { url } = target;
  if (kind === 'slack') return post(context.outbound, { url, body: slackMessage(content) }, options);
  if (kind === 'discord') return post(context.outbound, { url, body: discordMessage(content) }, options);
  const owner = { accountId: claimed.owner.accountId, receiver: claimed.receiver };
  const secrets = await findSigningSecrets(context.connection, owner, options.now);
  if (secrets.length === 0) return { outcome: 'failed', reason: noSecret };
  return post(context.outbound, { url, ...signedMessage(claimed, secrets, options.now) }, options);
}
