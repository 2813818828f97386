import { asListenError, isTaken } from '../http/server/listen.ts';
import { type MetricsServer, type MetricsSource, serveMetrics } from '../http/server/metrics-server.ts';
import type { Log } from '../model/log.ts';
import type { Config } from './config/config.ts';

/**
 * Starts the metrics server. A taken port is an error when it was configured; when it is the default, there are no
 * metrics.
 */
export async function startMetrics(
  config: Config,
  registry: MetricsSource,
  log: Log,
): Promise<MetricsServer | undefined> {
  try {
    return await serveMetrics(registry, config.metricsHost, config.metricsPort);
  } catch (error) {
    const { metricsHost: host, metricsPort: port } = config;
    if (config.metricsPortIsSet || !isTaken(error)) throw asListenError('METRICS_PORT', { host, port }, error);
    log.warn(`port ${config.metricsPort} is taken: no metrics are served; METRICS_PORT chooses another`);
    return undefined;
  }
}
