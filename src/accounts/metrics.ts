import { Gauge, type Registry } from 'prom-client';
import type { Connection } from '../database/connection.ts';
import { countDelayedLookups, delayReasons } from '../database/delayed-lookups.ts';

/** Registers the length of the queue of delayed lookups, which is read from the database when metrics are fetched. */
export function registerLookupMetrics(registry: Registry, connection: Connection, now: () => Date): void {
  const gauge: Gauge<'reason'> = new Gauge({
    name: 'plaudit_delayed_lookups',
    help: 'Lookups of new names that wait for an allowance or for the quota of a host, on all nodes together.',
    labelNames: ['reason'],
    registers: [registry],
    collect: async () => {
      gauge.reset();
      // Without its database the service reports all other metrics.
      const delayed = await countDelayedLookups(connection, now()).catch(() => undefined);
      if (delayed === undefined) return;
      for (const reason of delayReasons)
        gauge.set({ reason }, delayed.find((one) => one.reason === reason)?.count ?? 0);
    },
  });
}
