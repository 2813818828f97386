import { asListenError, isTaken } from '../http/server/listen.ts';
import { type MetricsServer, type MetricsSource, serveMetrics } from '../http/server/metrics-server.ts';
import type { Log } from '../model/log.ts';

/** The address of the metrics, and whether the operator chose its port. */
interface MetricsAddress {
  metricsHost: string;
  metricsPort: number;
  metricsPortIsSet: boolean;
}

/**
 * Starts the metrics server. A taken port is an error when it was configured; when it is the default, there are no
 * metrics.
 */
export async function startMetrics(
  { metricsHost: host, metricsPort: port, metricsPortIsSet: isConfigured }: MetricsAddress,
  registry: MetricsSource,
  log: Log,
): Promise<MetricsServer | undefined> {
  try {
    return await serveMetrics(registry, host, port);
  } catch (error) {
    if (isConfigured || !isTaken(error)) throw asListenError('METRICS_PORT', { host, port }, error);
    log.warn(`port ${port} is taken: no metrics are served; METRICS_PORT chooses another`);
    return undefined;
  }
}
