import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { send } from '../../e2e/raw-request.ts';
import type { ServiceResponse } from '../../e2e/service.ts';
import { clock } from '../../time.ts';
import { shareStoredService } from './stored-service.ts';

const user = '/v1/github/entities/ada-lovelace';

describe('conditional requests', () => {
  const shared = shareStoredService();

  it('responds to HEAD with the status and headers of GET, and without a body', async () => {
    for (const path of [
      user,
      `${user}/contributions`,
      `${user}/contributors`,
      '/healthz',
      '/readyz',
      '/openapi.json',
      '/docs',
      `${user}?limit=0`,
      '/v1/github/entities/-x',
    ]) {
      const [head, get] = [await send(shared.service, path, 'HEAD'), await send(shared.service, path)];
      assert.equal(head.status, get.status, path);
      assert.equal(head.body, '');
      assert.equal(head.headers['etag'], get.headers['etag'], path);
      assert.equal(head.headers['content-type'], get.headers['content-type'], path);
    }
  });

  it('sends a strong ETag with every 200, and responds with 304 to a request that has it', async () => {
    for (const path of [user, `${user}/contributions`, `${user}/contributors`]) {
      const first = await shared.service.get(path);
      const etag = first.headers.get('etag') ?? '';
      assert.match(etag, /^"[^"]+"$/);
      assert.match(first.headers.get('cache-control') ?? '', /^public, max-age=\d+, stale-while-revalidate=\d+$/);
      assert.equal(first.headers.get('access-control-allow-origin'), '*');
      for (const tags of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        const second = await shared.service.get(path, { headers: { 'if-none-match': tags } });
        assert.deepEqual([second.status, second.text, second.headers.get('etag')], [304, '', etag], tags);
      }
      assert.equal((await shared.service.get(path, { headers: { 'if-none-match': '"x"' } })).status, 200);
    }
  });
});

describe('documents that are the same for all', () => {
  const settings = { PUBLIC_URL: 'https://plaudit.example' };
  const shared = shareStoredService({ service: { settings } });

  it('have an entity tag, and are not sent to readers who have it', async () => {
    const paths = ['/', '/docs', '/docs/start', '/openapi.json', '/v1/definitions'];
    const ofCredentials = ['/v1/issuer', '/v1/credential-keys', '/.well-known/did.json', '/did.json'];
    for (const path of [...paths, ...ofCredentials]) {
      const { headers, status } = await shared.service.get(path);
      const etag = headers.get('etag') ?? '';
      assert.deepEqual([status, /^(W\/)?"[^"]+"$/.test(etag)], [200, true], `${path} ${etag}`);
      const again = await shared.service.get(path, { headers: { 'if-none-match': etag } });
      assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag], path);
    }
  });
});

describe('images that the service cannot draw now', () => {
  const { now, advance } = clock();
  const settings = { TRUST_PROXY: 'loopback', RATE_LIMIT_PER_MINUTE: '10' };
  const shared = shareStoredService({ simulator: { now }, service: { now, settings } });
  const image = `${user}/contributions?format=svg`;
  const from = (path: string, headers: Record<string, string> = {}): Promise<ServiceResponse> =>
    shared.service.get(path, { headers: { 'x-forwarded-for': '192.0.2.7', ...headers } });

  it('are the last good images, for callers without a credential', async () => {
    const good = await from(image);
    assert.equal(good.headers.get('x-error-code'), null);
    advance(70);
    for (let count = 0; count < 12; count += 1) await from(`${user}?v=${count}`);

    const stale = await from(image);
    assert.deepEqual([stale.status, stale.text, stale.headers.get('x-error-code')], [200, good.text, null]);
    const unknown = await from(`${image}&theme=nord`);
    assert.deepEqual([unknown.status, unknown.headers.get('x-error-code')], [200, '6']);
    assert.equal((await from(image, { authorization: 'Bearer not.a.token' })).status, 429);
    assert.equal((await from(user)).status, 429);
  });
});
