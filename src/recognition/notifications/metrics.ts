import { Counter, type Registry } from 'prom-client';
import type { NotificationContext } from './send.ts';

/** Returns a counter for the outcomes of attempts to send messages about awards. */
export function createNotificationMetrics(registry: Registry): NotificationContext['onOutcome'] {
  const outcomes = new Counter({
    name: 'plaudit_notifications_total',
    help: 'Messages about awards: sent, failed (tried again), dead (given up), withheld (the award, or whose it is, is not shown any more).',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
  });
  return (kind, outcome, count = 1) => outcomes.inc({ kind, outcome }, count);
}
