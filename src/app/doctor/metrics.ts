import type { Registry } from 'prom-client';
import type { Connection } from '../../database/connections/connection.ts';
import { registerGauge, sharing } from '../../model/gauge.ts';
import { findOverduePolls } from './collecting-store.ts';
import { findUnapplied } from './store.ts';

/** Registers the delays of deliveries and of polls, which are read from the database when metrics are fetched. */
export function registerDelayMetrics(
  registry: Registry,
  { connection, providers, now }: { connection: Connection; providers: readonly string[]; now: () => Date },
): void {
  const find = sharing(() => findUnapplied(connection));
  const secondsSince = (time: Date | null | undefined): number =>
    Math.max(0, (now().getTime() - (time ?? now()).getTime()) / 1000);
  const perProvider = (
    name: string,
    help: string,
    toValue: (unapplied: Awaited<ReturnType<typeof find>>[number] | undefined) => number,
  ): void =>
    registerGauge(registry, {
      name,
      help,
      labelNames: ['provider'],
      read: async () => {
        const unapplied = await find();
        return providers.map((provider) => ({
          labels: { provider },
          value: toValue(unapplied.find((counts) => counts.provider === provider)),
        }));
      },
    });
  perProvider('plaudit_deliveries_pending', 'Deliveries that wait to be applied.', (counts) => counts?.pending ?? 0);
  perProvider(
    'plaudit_deliveries_failed',
    'Deliveries that could not be applied and are not tried again.',
    (counts) => counts?.failed ?? 0,
  );
  perProvider('plaudit_deliveries_longest_wait_seconds', 'Time since the oldest pending delivery came.', (counts) =>
    secondsSince(counts?.oldestPendingAt),
  );
  registerGauge(registry, {
    name: 'plaudit_polls_overdue_seconds',
    help: 'Time since the poll of an installed repository was due, of the one that has waited longest; 0: none is due.',
    labelNames: ['provider'],
    read: () =>
      Promise.all(
        providers.map(async (provider) => {
          const { oldestAt } = await findOverduePolls(connection, [provider], now());
          return { labels: { provider }, value: secondsSince(oldestAt) };
        }),
      ),
  });
}
