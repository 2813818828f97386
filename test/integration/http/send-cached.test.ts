import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Registry } from 'prom-client';
import { type HttpServer, startHttpServer } from '../../../simulators/git/http-server.ts';
import { sendCached } from '../../../src/http/pipeline/response-cache.ts';
import { type Representation, toBody } from '../../../src/http/server/compression.ts';
import { createHttpMetrics } from '../../../src/http/server/metrics.ts';

const ownHeaders = ['x-request-id', '7'];
const lasting = { etag: '"x"', link: '<http://service.example/naïve>; rel="next"', vary: 'authorization' };

/** Returns a body of this length in which every byte occurs. */
function everyByte(length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, index) => index % 256));
}

function startSending(representation: Representation): Promise<HttpServer> {
  const metrics = createHttpMetrics(new Registry());
  return startHttpServer((request, response) => sendCached(request, response, representation, { metrics, ownHeaders }));
}

describe('cached responses', () => {
  for (const length of [256, 4096, 4097, 100_000]) {
    it(`have the bytes and headers with which they were cached, with ${length} bytes`, async () => {
      const bytes = everyByte(length);
      const headers = { 'content-type': 'image/png', 'content-length': String(length), ...lasting };
      await using server = await startSending({ body: toBody(bytes), etag: lasting.etag, headers });
      for (const method of ['GET', 'HEAD', 'GET']) {
        const response = await fetch(server.url, { method });
        assert.equal(response.status, 200);
        const expected = method === 'GET' ? bytes : Buffer.alloc(0);
        assert.deepEqual(Buffer.from(await response.arrayBuffer()), expected, method);
        for (const [name, value] of Object.entries({ ...headers, 'x-request-id': '7' })) {
          assert.equal(response.headers.get(name), value, `${method} ${name}`);
        }
      }
      const unchanged = await fetch(server.url, { headers: { 'if-none-match': lasting.etag } });
      assert.deepEqual([unchanged.status, await unchanged.text()], [304, '']);
      for (const [name, value] of Object.entries({ ...lasting, 'x-request-id': '7' })) {
        assert.equal(unchanged.headers.get(name), value, `304 ${name}`);
      }
      for (const name of ['content-type', 'content-length']) assert.equal(unchanged.headers.get(name), null, name);
    });
  }
});
