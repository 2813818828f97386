import type { Registry } from 'prom-client';
import type { Connection } from '../database/connections/connection.ts';
import { countDelayedLookups, delayReasons } from '../database/queue/delayed-lookups.ts';
import { registerGauge } from '../model/gauge.ts';

/** Registers the length of the queue of delayed lookups, which is read from the database when metrics are fetched. */
export function registerLookupMetrics(registry: Registry, connection: Connection, now: () => Date): void {
  registerGauge(registry, {
    name: 'plaudit_delayed_lookups',
    help: 'Lookups of new names that wait for an allowance or for the quota of a host, on all nodes together.',
    labelNames: ['reason'],
    read: async () => {
      const delayed = await countDelayedLookups(connection, now());
      return delayReasons.map((reason) => ({
        labels: { reason },
        value: delayed.find((delay) => delay.reason === reason)?.count ?? 0,
      }));
    },
  });
}
