import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { startSimulator } from '../../simulators/github/simulator.ts';
import { createTestDatabase } from '../database.ts';
import { startServiceProcess } from '../e2e/installed/service-process.ts';
import { until } from '../time.ts';

interface Span {
  name: string;
  kind: number;
  traceId: string;
  parentSpanId?: string;
  attributes: { key: string; value: Record<string, unknown> }[];
}

interface Export {
  resourceSpans: { resource: { attributes: Span['attributes'] }; scopeSpans: { spans: Span[] }[] }[];
}

/** Starts a receiver of spans in OTLP over HTTP, as JSON. */
async function startReceiver(
  status = 200,
): Promise<{ url: string; bodies: string[]; spans: () => Span[] } & AsyncDisposable> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(body);
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    spans: () =>
      bodies.flatMap((body) =>
        (JSON.parse(body) as Export).resourceSpans.flatMap(({ scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) => spans),
        ),
      ),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentSpanId = 'b7ad6b7169203331';

for (const workers of ['1', '2']) {
  describe(`traces of a service with WORKERS=${workers}`, () => {
    it('show requests, jobs and requests to hosts without names or tokens', async () => {
      await using simulator = await startSimulator();
      await using receiver = await startReceiver();
      await using database = await createTestDatabase();
      await using directory = await makeTemporaryDirectory();
      await using service = await startServiceProcess({
        WORKERS: workers,
        DATABASE_URL: database.url,
        DATA_DIR: directory.path,
        GITHUB_URL: simulator.url,
        GITHUB_API_URL: simulator.apiUrl,
        GITHUB_TOKEN: simulator.tokens.public_only,
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_SERVICE_NAME: 'service-of-test',
      });
      const headers = { traceparent: `00-${traceId}-${parentSpanId}-01` };
      const address = `${service.url}/v1/github/entities/ada-lovelace`;
      await until(async () => ((await fetch(address, { headers })).status === 200 ? true : undefined), 'it is stored');
      assert.equal(await service.stop(), 0);
      const spans = receiver.spans();
      const request = spans.find(({ name }) => name === 'GET /v1/:provider/entities/:name') ?? assert.fail();
      assert.deepEqual([request.traceId, request.parentSpanId, request.kind], [traceId, parentSpanId, 2]);
      const host = spans.find(({ kind }) => kind === 3) ?? assert.fail();
      const job = spans.find(({ kind, name }) => kind === 5 && name.startsWith('job look_up')) ?? assert.fail();
      assert.ok(spans.some((span) => span.kind === 3 && span.traceId === job.traceId));
      const attributes = Object.fromEntries(host.attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
      assert.equal(attributes['server.address'], new URL(simulator.apiUrl).host);
      const sent = receiver.bodies.join('\n');
      assert.match(sent, /service-of-test/);
      for (const secret of ['ada-lovelace', simulator.tokens.public_only]) assert.ok(!sent.includes(secret), secret);
    });
  });
}

describe('export of traces to a receiver that fails', () => {
  it('does not affect requests, nor the stop', async () => {
    await using simulator = await startSimulator();
    await using receiver = await startReceiver(503);
    await using database = await createTestDatabase();
    await using directory = await makeTemporaryDirectory();
    await using service = await startServiceProcess({
      DATABASE_URL: database.url,
      DATA_DIR: directory.path,
      GITHUB_URL: simulator.url,
      GITHUB_API_URL: simulator.apiUrl,
      GITHUB_TOKEN: simulator.tokens.public_only,
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    });
    const address = `${service.url}/v1/github/entities/ada-lovelace`;
    await until(async () => ((await fetch(address)).status === 200 ? true : undefined), 'it is stored');
    assert.equal(await service.stop(), 0);
    assert.ok(!service.lines.some((line) => line.includes('did not end in time')));
  });
});
