import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RenderedResponse } from '../../../src/http/pipeline/response.ts';
import { ResponseCache, usableResponses } from '../../../src/http/pipeline/response-cache.ts';

function cachedResponse(accountId: string, bytes = 10): RenderedResponse {
  return { body: Buffer.alloc(bytes), etag: '"x"', headers: {}, accountId, expiresAt: 1000 };
}

describe('the response cache', () => {
  it('is limited by the bytes of responses, keys and aliases together', () => {
    const maxBytes = 1_000_000;
    const cache = new ResponseCache(maxBytes);
    cache.put('a:card', cachedResponse('a'), cache.begin());
    const toAddress = (index: number): string => `/v1/card?${'x'.repeat(6000)}=${index}`;
    for (let index = 0; index < 1000; index += 1) {
      cache.alias(toAddress(index), 'a:card');
      // The response is in use, so that the least used entries are aliases.
      assert.ok(cache.get('a:card', 0));
      assert.ok(cache.bytes <= maxBytes);
    }
    const isCached = (index: number): boolean => cache.get(toAddress(index), 0) !== undefined;
    const cached = Array.from({ length: 1000 }, (_, index) => index).filter(isCached);
    assert.ok(isCached(999) && !isCached(0));
    assert.ok(cached.length * 6000 <= maxBytes, String(cached.length));
    for (let index = 0; index < 1000; index += 1) cache.put(toAddress(index), cachedResponse('b'), cache.begin());
    assert.ok(cache.bytes <= maxBytes);
  });

  it('caches a response until it expires, until its account changes, or until the cache is cleared', () => {
    const cache = new ResponseCache(1_000_000);
    cache.put('/a', cachedResponse('ada'), cache.begin());
    cache.put('/a?limit=2', cachedResponse('ada'), cache.begin());
    cache.put('/b', cachedResponse('bob'), cache.begin());
    assert.ok(cache.get('/a', 999));
    assert.equal(cache.get('/a', 1000), undefined);
    cache.invalidate('ada');
    assert.equal(cache.get('/a', 0), undefined);
    assert.equal(cache.get('/a?limit=2', 0), undefined);
    assert.ok(cache.get('/b', 0));
    cache.clear();
    assert.equal(cache.get('/b', 0), undefined);
  });

  it('drops an alias with its response, because the address may belong to another account later', () => {
    const cache = new ResponseCache(1_000_000);
    cache.put('a:card', cachedResponse('a'), cache.begin());
    cache.alias('/ada/card', 'a:card');
    cache.invalidate('a');
    cache.put('a:card', cachedResponse('a'), cache.begin());
    cache.alias('/renamed/card', 'a:card');
    assert.ok(cache.get('/renamed/card', 0));
    assert.equal(cache.get('/ada/card', 0), undefined);
  });

  it('shares one response among addresses with the same meaning, and drops it for all of them', () => {
    const cache = new ResponseCache(1_000_000);
    cache.put('a:card', cachedResponse('a', 1000), cache.begin());
    cache.alias('/card?v=1', 'a:card');
    cache.alias('/card?v=2', 'a:card');
    assert.equal(cache.get('/card?v=1', 0), cache.get('/card?v=2', 0));
    assert.ok(cache.get('/card?v=1', 0));
    cache.invalidate('a');
    for (const address of ['/card?v=1', '/card?v=2', 'a:card']) assert.equal(cache.get(address, 0), undefined);
  });

  it('does not cache a response that was begun before its account changed or the cache was cleared', () => {
    const cache = new ResponseCache(1_000_000);
    const begun = cache.begin();
    cache.invalidate('ada');
    cache.put('/a', cachedResponse('ada'), begun);
    assert.equal(cache.get('/a', 0), undefined);
    cache.put('/b', cachedResponse('bob'), begun);
    assert.ok(cache.get('/b', 0), 'other accounts are not concerned');

    const begunBeforeReset = cache.begin();
    cache.clear();
    cache.put('/b', cachedResponse('bob'), begunBeforeReset);
    assert.equal(cache.get('/b', 0), undefined);
  });

  it('does not cache a response that was begun before more accounts changed than the cache remembers', () => {
    const cache = new ResponseCache(1_000_000);
    const begun = cache.begin();
    cache.invalidate('ada');
    for (let index = 0; index < 20_001; index += 1) cache.invalidate(`other-${index}`);
    cache.put('/a', cachedResponse('ada'), begun);
    assert.equal(cache.get('/a', 0), undefined);
  });

  it('limits the size by bytes, and drops the least recently used responses first', () => {
    const cache = new ResponseCache(10_000);
    for (let index = 0; index < 100; index += 1) {
      cache.put(`/${index}`, cachedResponse(`account-${index}`, 1000), cache.begin());
      cache.get('/0', 0);
    }
    const kept = Array.from({ length: 100 }, (_, index) => index).filter((index) => cache.get(`/${index}`, 0));
    assert.ok(kept.length >= 3 && kept.length <= 6, `${kept.length} are kept`);
    assert.ok(kept.includes(0) && kept.includes(99));
    cache.put('/huge', cachedResponse('huge', 20_000), cache.begin());
    assert.equal(cache.get('/huge', 0), undefined);
  });
});

describe('use of cached responses without the database', () => {
  it('permits the public ones for a minute, and none after that', () => {
    const usableAfter = (isConnected: boolean, ms: number): string =>
      usableResponses({ isConnected: () => isConnected, sinceContactMs: () => ms });
    assert.equal(usableAfter(true, 90_000), 'all');
    assert.equal(usableAfter(false, 59_999), 'public');
    assert.equal(usableAfter(false, 60_000), 'none');
  });
});
