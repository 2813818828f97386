import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError } from '../../model/errors.ts';
import type { Log } from '../../model/log.ts';

/** Renders the metrics of one or several processes as text. */
export interface MetricsSource {
  contentType: string;
  metrics(): Promise<string>;
}

interface MetricsServer {
  url: string;
  close(): Promise<void>;
}

/** The address of the metrics, and whether the operator chose its port. */
interface MetricsAddress {
  metricsHost: string;
  metricsPort: number;
  metricsPortIsSet: boolean;
}

/** Returns whether an address cannot be listened on because another server does. */
function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

/** Returns the error for an address that cannot be listened on. */
export function asListenError(
  setting: string,
  { host, port }: { host: string; port: number },
  cause: unknown,
): AppError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(code)) {
    return new AppError('misconfigured', `${setting.replace('PORT', 'HOST')}: ${host} is no address of this machine`, {
      cause,
    });
  }
  const reasons: Record<string, string> = { EADDRINUSE: 'is taken', EACCES: 'is not allowed for this user' };
  const reason = reasons[code] ?? `cannot be listened on (${code})`;
  return new AppError('misconfigured', `${setting}: port ${port} ${reason}`, { cause });
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

/** Serves `/metrics` on a port of its own, which need not be reachable from outside. */
export async function serveMetrics(registry: MetricsSource, host: string, port: number): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics' || request.method !== 'GET') {
      response.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, host, resolve);
  await promise;
  return {
    url: formatUrl(host, server.address()),
    close: () => new Promise((done) => server.close(() => done())),
  };
}

/** Returns the URL of a listening server. */
export function formatUrl(host: string, address: AddressInfo | string | null): string {
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
