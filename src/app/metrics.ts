import { statfs } from 'node:fs/promises';
import { collectDefaultMetrics, Registry } from 'prom-client';
import manifest from '../../package.json' with { type: 'json' };
import type { Connection } from '../database/connections/connection.ts';
import {
  createJobMetrics,
  createPoolMetrics,
  createReplicaMetrics,
  registerLockMetrics,
  registerLookupMetrics,
  registerQueueMetrics,
} from '../database/connections/metrics.ts';
import type { OnJobEnd } from '../database/queue/queue.ts';
import { createHostMetrics, registerCredentialMetrics } from '../hosts/metrics.ts';
import { registerGauge, sharing } from '../model/gauge.ts';
import { createSyncMetrics } from '../sync/metrics.ts';
import type { Config } from './config/config.ts';
import { type Core, type CoreOptions, findFault } from './core.ts';
import { findOverduePolls, findUnapplied } from './doctor/store.ts';

/** The registry of a service, and what records events in it. */
type Metrics = Required<Pick<CoreOptions, 'metrics' | 'observePool' | 'observeReplica' | 'observeHost'>> & {
  registry: Registry;
  onJobEnd: OnJobEnd;
};

let nodeMetrics: Registry | undefined;

/**
 * Returns the metrics of Node, which exist once: prom-client never ends what observes the event loop and the garbage
 * collector for them.
 */
function metricsOfNode(): Registry {
  if (nodeMetrics !== undefined) return nodeMetrics;
  nodeMetrics = new Registry();
  collectDefaultMetrics({ register: nodeMetrics });
  return nodeMetrics;
}

/** Creates the registry of a service with the metrics of Node and those that record events. */
export function createMetrics(): Metrics {
  const registry = Registry.merge([metricsOfNode()]);
  return {
    registry,
    metrics: createSyncMetrics(registry),
    observePool: createPoolMetrics(registry),
    observeReplica: createReplicaMetrics(registry),
    observeHost: createHostMetrics(registry),
    onJobEnd: createJobMetrics(registry),
  };
}

/**
 * Registers the metrics of the database and of the credentials, whose values are read when metrics are fetched. Of several
 * processes of a node, one has them.
 */
export function registerSharedStates(registry: Registry, core: Core): void {
  const { connection } = core.requests;
  registerLookupMetrics(registry, connection, core.now);
  registerQueueMetrics(registry, connection);
  registerLockMetrics(registry, core.control.connection);
  registerDelayMetrics(registry, { connection, providers: [...core.providers.keys()], now: core.now });
  registerCredentialMetrics(registry, core.providers);
}

/** Registers the metrics of a process whose values are read when metrics are fetched. */
export function registerStates(registry: Registry, config: Config, core: Core): void {
  registerGauge(registry, {
    name: 'plaudit_build_info',
    help: 'The release of this node; always 1.',
    labelNames: ['version'],
    aggregator: 'first',
    read: () => [{ labels: { version: manifest.version }, value: 1 }],
  });
  registerGauge(registry, {
    name: 'plaudit_ready',
    help: 'Whether this node can serve requests, as /readyz says; absent when the database does not respond in time.',
    labelNames: [],
    aggregator: 'min',
    read: async () => [{ labels: {}, value: (await findFault(core, config)) === undefined ? 1 : 0 }],
  });
  registerGauge(registry, {
    name: 'plaudit_response_cache_bytes',
    help: 'Memory of cached responses.',
    labelNames: [],
    read: () => [{ labels: {}, value: core.cache.bytes }],
  });
  registerGauge(registry, {
    name: 'plaudit_data_free_bytes',
    help: 'Free space in DATA_DIR.',
    labelNames: [],
    aggregator: 'first',
    read: async () => {
      const { bavail, bsize } = await statfs(config.dataDir);
      return [{ labels: {}, value: bavail * bsize }];
    },
  });
}

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
