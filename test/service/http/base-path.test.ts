import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startStoredService } from './stored-service.ts';

const [host, base] = ['https://tools.example', '/team/plaudit'];
const settings = {
  PUBLIC_URL: `${host}${base}/`,
  SITE_EXAMPLE: 'github/ada-lovelace',
  GITHUB_OAUTH_CLIENT_ID: 'id',
  GITHUB_OAUTH_CLIENT_SECRET: 'secret',
};

/** Returns the addresses in attributes and in JSON that lead to this service. */
function addressesIn(text: string): string[] {
  const found = [...text.matchAll(/(?:href|src|srcset|action|data-progress|content)="((?:https:\/\/tools|\/)[^"]*)"/g)];
  return found.map(([, address = '']) => new URL(address.replaceAll('&amp;', '&'), host).href);
}

describe('public URLs with a path', () => {
  it('are in every address on every page, with a proxy that strips the path and one that does not', async () => {
    await using service = await startStoredService({ holdsWorld: true, settings });
    for (const prefix of ['', base]) {
      const waiting = [`${host}${base}`];
      const seen = new Set(waiting);
      for (const address of waiting) {
        const path = address.slice(host.length + base.length);
        const accept = path.includes('format=') ? 'image/*' : 'text/html';
        const response = await service.get(`${prefix}${path || '/'}`, { headers: { accept } });
        assert.ok(response.status < 400, `${prefix} ${path}: ${response.status}`);
        const location = response.headers.get('location');
        const isPage = response.headers.get('content-type')?.startsWith('text/html') === true;
        const next = [
          ...(isPage ? addressesIn(response.text) : []),
          ...(location === null ? [] : [new URL(location, host).href]),
        ];
        for (const found of next.map((each) => each.replace(/#.*/, ''))) {
          if (!found.startsWith(host)) continue;
          assert.ok(found === `${host}${base}` || found.startsWith(`${host}${base}/`), `${path} leads to ${found}`);
          const isOneMore = !/[?&]lang=|\/docs\/|\/settings|\/sign-in|\/(pages\/progress|find)|openapi/.test(found);
          if (!seen.has(found) && isOneMore && seen.size < 120) waiting.push(found);
          seen.add(found);
        }
      }
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

  it('limit the cookies of sign-in to the path', async () => {
    await using service = await startStoredService({ holdsWorld: true, settings });
    const { status, headers } = await service.get(`${base}/sign-in/github`);
    assert.equal(status, 303);
    assert.match(headers.get('set-cookie') ?? '', /^__Secure-sign-in=[\w-]{43}; .*Path=\/team\/plaudit; .*Secure$/);
    const redirectTo = new URL(headers.get('location') ?? '').searchParams.get('redirect_uri');
    assert.equal(redirectTo, `${host}${base}/sign-in/github/callback`);
  });
});
