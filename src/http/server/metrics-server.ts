import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Renders the metrics of one or several processes as text. */
export interface MetricsSource {
  contentType: string;
  metrics(): Promise<string>;
}

export interface MetricsServer {
  url: string;
  close(): Promise<void>;
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
