import { statfs } from 'node:fs/promises';
import { collectDefaultMetrics, Registry } from 'prom-client';
import manifest from '../../package.json' with { type: 'json' };
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
import { registerGauge } from '../model/gauge.ts';
import { createSyncMetrics } from '../sync/metrics.ts';
import type { Config } from './config/config.ts';
import { type Core, type CoreOptions, findFault } from './core.ts';
import { registerDelayMetrics } from './doctor/metrics.ts';

/** The registry of a service, and what records events in it. */
export type Metrics = Required<Pick<CoreOptions, 'metrics' | 'observePool' | 'observeReplica' | 'observeHost'>> & {
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
