import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Representation } from './compression.ts';
import type { HttpMetrics } from './metrics.ts';
import { isNotModified, notModifiedHeaders } from './response.ts';

/**
 * Sends a cached response without the framework.
 * @param ownHeaders the headers that differ each time the response is sent.
 */
export function sendCached(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  representation: Representation,
  { metrics, ownHeaders }: { metrics: HttpMetrics; ownHeaders: Record<string, string> },
): void {
  if (isNotModified(headers['if-none-match'], representation.etag)) {
    metrics.countWarm(304);
    response.writeHead(304, { ...notModifiedHeaders(representation), ...ownHeaders });
    response.end();
    return;
  }
  metrics.countWarm(200);
  response.writeHead(200, { ...representation.headers, ...ownHeaders });
  response.end(method === 'HEAD' ? undefined : representation.body);
}
