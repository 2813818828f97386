import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { send } from '../../e2e/raw-request.ts';
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
