import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { walkBelow } from './linked-addresses.ts';
import { startStoredService } from './stored-service.ts';

const [host, base] = ['https://tools.example', '/team/plaudit'];
const settings = {
  PUBLIC_URL: `${host}${base}/`,
  SITE_EXAMPLE: 'github/ada-lovelace',
  GITHUB_OAUTH_CLIENT_ID: 'id',
  GITHUB_OAUTH_CLIENT_SECRET: 'secret',
};

describe('public URLs with a path', () => {
  it('are in every address on every page, with a proxy that strips the path and one that does not', async () => {
    await using service = await startStoredService({ holdsWorld: true, settings });
    for (const isStripped of [true, false]) {
      const seen = await walkBelow(
        (path, init) => service.get(isStripped ? path.slice(base.length) || '/' : path, init),
        { host, base },
      );
      assert.ok(seen.size > 60, String(seen.size));
    }
  });

  it('are in redirects, documents, links of JSON and the DID', async () => {
    await using service = await startStoredService({ holdsWorld: true, settings });
    const moved = await service.get(`${base}/docs/`);
    assert.deepEqual([moved.status, moved.headers.get('location')], [301, `${base}/docs`]);
    const found = await service.get(`${base}/find?provider=github&name=ada`);
    assert.equal(found.headers.get('location'), `${base}/github/ada`);
    const { servers } = JSON.parse((await service.get(`${base}/openapi.json`)).text);
    assert.deepEqual(servers, [{ url: `${host}${base}` }]);
    const list = await service.get('/v1/github/entities/analytical-engines/contributors?limit=1');
    assert.match(list.headers.get('link') ?? '', /^<https:\/\/tools\.example\/team\/plaudit\/v1\//);
    const did = JSON.parse((await service.get(`${base}/did.json`)).text);
    assert.equal(did.id, 'did:web:tools.example:team:plaudit');
    const beside = await service.get(`${base}s/docs`);
    assert.equal(beside.status, 404);
  });

  it('keep browsers on https, on fresh and cached responses, pages, cards and errors', async () => {
    await using service = await startStoredService({ holdsWorld: true, settings });
    const [card, page] = ['/v1/github/entities/ada-lovelace/contributions?format=svg', '/github/ada-lovelace'];
    for (const path of [card, card, page, page, '/', '/docs', '/healthz', '/robots.txt', '/v1/none', `${base}/docs/`]) {
      const { headers } = await service.get(path, { headers: { accept: path === card ? 'image/*' : 'text/html' } });
      assert.equal(headers.get('strict-transport-security'), 'max-age=31536000', path);
      const isPage = headers.get('content-type')?.startsWith('text/html') === true;
      assert.equal(headers.get('cross-origin-opener-policy'), isPage ? 'same-origin' : null, path);
    }
    await using plain = await startStoredService({ settings: { PUBLIC_URL: 'http://127.0.0.1:8080' } });
    assert.equal((await plain.get('/docs')).headers.get('strict-transport-security'), null);
  });

  it('limit the cookies of sign-in to the path', async () => {
    await using service = await startStoredService({ holdsWorld: true, settings });
    const { status, headers } = await service.get(`${base}/sign-in/github`);
    assert.equal(status, 303);
    assert.match(headers.get('set-cookie') ?? '', /^__Secure-sign-in=[\w-]{43}; .*Path=\/team\/plaudit; .*Secure$/);
    const redirectTo = new URL(headers.get('location') ?? '').searchParams.get('redirect_uri');
    assert.equal(redirectTo, `${host}${base}/sign-in/github/callback`);
  });
});
