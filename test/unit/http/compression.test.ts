import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { type RenderedResponse } from '../../../src/http/pipeline/response.ts';
import { ResponseCache } from '../../../src/http/pipeline/response-cache.ts';
import { representationFor, toBytes, withCompressedForms } from '../../../src/http/server/compression.ts';

const body = Buffer.from('<p>a page</p>'.repeat(200));

function rendered(): RenderedResponse {
  const headers = { 'content-type': 'text/html; charset=utf-8', vary: 'accept-language' };
  return withCompressedForms({ body, etag: '"x"', headers, accountId: 'ada', expiresAt: 1000 });
}

describe('compressed representations', () => {
  it('are made when a client first accepts their coding, once for all that wait, and kept', async () => {
    const response = rendered();
    assert.equal(representationFor(response, undefined), response);
    assert.equal(response.compressed?.bytes, 0);
    const [first, second] = await Promise.all([representationFor(response, 'br'), representationFor(response, 'br')]);
    assert.equal(first, second);
    assert.deepEqual(brotliDecompressSync(toBytes(first.body)), body);
    assert.equal(response.compressed?.bytes, first.body.length);
    assert.equal(
      representationFor(response, 'gzip, br'),
      first,
      'without a promise, so that the cache can send it at once',
    );
  });

  it('count as bytes of the cache once they are made, which drops no alias', async () => {
    const cache = new ResponseCache(1_000_000);
    const response = rendered();
    cache.put('ada:card', response, cache.begin());
    cache.alias('/card', 'ada:card');
    const before = cache.bytes;
    const representations = await Promise.all([representationFor(response, 'br'), representationFor(response, 'gzip')]);
    assert.equal(cache.bytes - before, representations[0].body.length + representations[1].body.length);
    assert.equal(cache.get('/card', 0), response);
    cache.invalidate('ada');
    assert.deepEqual([cache.get('/card', 0), cache.get('ada:card', 0), cache.bytes], [undefined, undefined, 0]);
  });

  it('bring no response back to the cache that was dropped meanwhile', async () => {
    const cache = new ResponseCache(1_000_000);
    const response = rendered();
    cache.put('/card', response, cache.begin());
    const representation = representationFor(response, 'br');
    cache.invalidate('ada');
    await representation;
    assert.deepEqual([cache.get('/card', 0), cache.bytes], [undefined, 0]);
  });

  it('drop a response that outgrows the cache', async () => {
    const response = rendered();
    const large = new ResponseCache(1_000_000);
    large.put('/card', response, large.begin());
    const cache = new ResponseCache(large.bytes + 10);
    cache.put('/card', response, cache.begin());
    assert.equal(cache.get('/card', 0), response);
    await representationFor(response, 'br');
    assert.deepEqual([cache.get('/card', 0), cache.bytes], [undefined, 0]);
  });
});
