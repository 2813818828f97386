import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Raw, send } from '../../e2e/raw-request.ts';
import { ada, serviceToken } from '../../integration/access/owner.ts';
import { shareStoredService } from './stored-service.ts';

const account = `/v1/github/entities/${ada.name}`;
const codings = [
  ['gzip, deflate, br', 'br', brotliDecompressSync],
  ['gzip;q=1.0, br;q=0', 'gzip', gunzipSync],
  ['GZIP, br;q=0.000', 'gzip', gunzipSync],
  ['br ; q=0.1, gzip', 'br', brotliDecompressSync],
  ['identity', undefined, undefined],
  ['*', undefined, undefined],
  ['deflate, br;q=0.0, gzip;q=0', undefined, undefined],
] as const;

describe('compression of responses', () => {
  const shared = shareStoredService();
  const get = (path: string, accepted: string, headers: Record<string, string> = {}): Promise<Raw> =>
    send(shared.service, path, 'GET', { 'accept-encoding': accepted, ...headers });
  const bearerOfAda = async (): Promise<{ authorization: string }> => ({
    authorization: `Bearer ${await serviceToken(shared.service, shared.simulator, ada)}`,
  });

  for (const [title, path] of [
    ['JSON of more than 1 kB', `${account}/contributors`],
    ['SVG', `${account}/contributions?format=svg&hide=avatar`],
    ['the description of the API', '/openapi.json'],
  ] as const) {
    it(`sends ${title} in the coding that the client prefers, each with a tag of its own`, async () => {
      const plain = await send(shared.service, path);
      assert.ok(plain.bytes.length > 1024);
      const tags = new Set<unknown>();
      for (const [accepted, coding, unpack] of codings) {
        const response = await get(path, accepted);
        const { etag = '', vary } = response.headers;
        assert.equal(response.headers['content-encoding'], coding, accepted);
        assert.equal((unpack ? unpack(response.bytes) : response.bytes).toString(), plain.body);
        assert.equal(response.headers['content-length'], String(response.bytes.length));
        assert.match(String(etag), /^"[^"]+"$/);
        assert.match(String(vary), /accept-encoding/);
        tags.add(etag);
        const again = await get(path, accepted, { 'if-none-match': String(etag) });
        assert.deepEqual([again.status, again.bytes.length, again.headers['etag']], [304, 0, etag]);
      }
      assert.equal(tags.size, 3);
      const head = await send(shared.service, path, 'HEAD', { 'accept-encoding': 'br' });
      const { bytes, headers } = await get(path, 'br');
      assert.deepEqual([head.headers['content-length'], head.headers['etag']], [String(bytes.length), headers['etag']]);
      assert.ok(bytes.length < plain.bytes.length);
    });
  }

  it('leaves JSON of at most 1 kB and PNG as they are', async () => {
    for (const path of [account, `${account}/contributions?format=png`]) {
      const { headers } = await get(path, 'br, gzip');
      assert.deepEqual([headers['content-encoding'], headers['vary']], [undefined, 'authorization'], path);
    }
  });

  it('compresses data that only its owner may see', async () => {
    const { bytes, headers } = await get(`${account}/contributors`, 'br', await bearerOfAda());
    assert.deepEqual([headers['content-encoding'], headers['cache-control']], ['br', 'private, no-store']);
    assert.ok(brotliDecompressSync(bytes).length > 1024);
  });

  it("never compresses responses of owners' endpoints, which may hold secrets", async () => {
    const authorization = await bearerOfAda();
    for (let count = 0; count < 5; count += 1) await serviceToken(shared.service, shared.simulator, ada);
    const { bytes, headers } = await get(`${account}/audit`, 'br, gzip', authorization);
    assert.equal(headers['content-encoding'], undefined);
    assert.ok(bytes.length > 1024);
  });
});
