import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type Raw, send } from '../../e2e/raw-request.ts';
import { ada, bearer, jsonRequest, keeper, serviceToken } from '../../integration/access/owner.ts';
import { storeAbsent } from '../../integration/http/stored-world.ts';
import { shareStoredService } from '../http/stored-service.ts';

const browser = { accept: 'image/avif,image/webp,*/*;q=0.8', 'user-agent': 'Mozilla/5.0' };
const camo = { accept: 'image/*, image/svg+xml', 'user-agent': 'go-camo', via: 'go-camo' };
const curl = { accept: '*/*', 'user-agent': 'curl/8.14.1' };
const fetchOfNode = { accept: '*/*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' };

const base = '/v1/github/entities';
/** Addresses of images that show no data: the status for programs, and the code of the error. */
const unfinished: [path: string, status: number, code: number][] = [
  [`${base}/missing-person/contributions?format=svg`, 404, 2],
  [`${base}/missing-person/badges/community`, 404, 2],
  [`${base}/-/contributors?format=png`, 404, 2],
  [`${base}/${ada.name}/boards/none?format=svg`, 404, 2],
  [`${base}/${ada.name}/contributions?format=svg&theme=none`, 400, 3],
  [`${base}/${keeper.name}/repositories/diary/contributors?format=svg`, 202, 0],
  [`${base}/not-known-yet/contributions?format=svg`, 202, 0],
  [`${base}/not-known-yet/badges/community?format=png`, 202, 0],
  ['/avatars/github/missing-person', 404, 2],
  ['/avatars/github/not-known-yet', 202, 0],
];

describe('statuses of images that show an error or a collection', () => {
  const shared = shareStoredService({ service: { settings: { LOOKUP_BUDGET_MS: '200' } } });
  const get = (path: string, headers: Record<string, string>): Promise<Raw> =>
    send(shared.service, path, 'GET', headers);

  before(() => storeAbsent(shared.service.database.connection, ['missing-person']));

  it('are 200 for browsers and image proxies, and true for programs', async () => {
    for (const [path, status, code] of unfinished) {
      for (const [headers, expected] of [
        [browser, 200],
        [curl, status],
        [camo, 200],
        [fetchOfNode, status],
      ] as const) {
        const response = await get(path, headers);
        const title = `${path} ${headers['user-agent']}`;
        assert.deepEqual([response.status, response.headers['x-error-code']], [expected, String(code)], title);
        assert.match(String(response.headers['content-type']), /^image\//, title);
        assert.equal(response.headers['cache-control'], 'no-store', title);
        assert.match(String(response.headers['vary']), /\baccept,.*\breferer\b.*\buser-agent\b/, title);
        assert.equal(response.headers['etag'], undefined, title);
      }
    }
  });

  it('do not change images that show data, which all readers share', async () => {
    const path = `${base}/${ada.name}/contributions?format=svg`;
    const images = [];
    for (const headers of [browser, curl, camo, fetchOfNode]) images.push(await get(path, headers));
    for (const { status, headers, body } of images) {
      assert.deepEqual([status, headers['x-error-code'], body], [200, undefined, images[0]?.body]);
    }
  });

  it('are true for programs behind a proxy that adds Via, and with a credential', async () => {
    const path = `${base}/missing-person/contributions?format=svg`;
    assert.equal((await get(path, { ...curl, via: '1.1 Caddy' })).status, 404);
    const token = await serviceToken(shared.service, shared.simulator, ada);
    const authorization = `Bearer ${token}`;
    assert.equal((await get(path, { ...browser, authorization })).status, 404);
  });

  it('are those of the card for links to it', async () => {
    const { service, simulator } = shared;
    const token = await serviceToken(service, simulator, ada);
    const card = `${base}/${ada.name}/contributors?repository=not-known-yet`;
    const link = await service.get(`${ada.name}/embeds`, jsonRequest('POST', token, { path: card, format: 'svg' }));
    const { url }: { url: string } = JSON.parse(link.text).data;
    for (const [headers, status] of [
      [browser, 200],
      [camo, 200],
      [curl, 202],
      [{}, 200],
    ] as const) {
      const response = await get(new URL(url).pathname, headers);
      assert.deepEqual([response.status, response.headers['x-error-code']], [status, '0'], JSON.stringify(headers));
    }
    // The same request with the token of the owner.
    assert.equal(
      (await service.get(`${card}&format=svg`, { headers: { ...curl, ...bearer(token).headers } })).status,
      202,
    );
  });
});
