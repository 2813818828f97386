import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { generateSigningKey, tendSigningKeys } from '../../../src/accounts/access/tokens/signing-key-store.ts';
import { readAllTables } from '../../e2e/access/state.ts';
import { decode } from '../../integration/access/forge-token.ts';
import { ada, bearer, jsonRequest, keeper, serviceToken } from '../../integration/access/owner.ts';
import { clock, until } from '../../time.ts';
import { shareStoredService, startStoredService } from '../http/stored-service.ts';

interface Jwks {
  keys: { kid: string; x: string; kty: string; d?: string }[];
}

describe('the life of a service token', () => {
  const shared = shareStoredService();

  it('issues a token that other JWT libraries can verify with the published keys', async () => {
    const token = await serviceToken(shared.service, shared.simulator, keeper);
    const published = await shared.service.get('/.well-known/jwks.json');
    assert.match(published.headers.get('cache-control') ?? '', /^public, max-age=\d+$/);
    const { keys } = JSON.parse(published.text) as Jwks;
    assert.ok(keys.length > 0 && keys.every((key) => key.d === undefined && key.kty === 'OKP'));
    const jwks = createRemoteJWKSet(new URL(`${shared.service.url}/.well-known/jwks.json`));
    const { payload, protectedHeader } = await jwtVerify(token, jwks, {
      issuer: shared.service.url,
      audience: shared.service.url,
      typ: 'at+jwt',
      algorithms: ['EdDSA'],
    });
    assert.deepEqual(Object.keys(protectedHeader).toSorted(), ['alg', 'kid', 'typ']);
    assert.deepEqual(Object.keys(payload).toSorted(), [
      'aud',
      'exp',
      'iat',
      'iss',
      'jti',
      'name',
      'nbf',
      'provider',
      'scope',
      'sub',
    ]);
    const [account] = (await shared.service.get(keeper.name, bearer(token))).body.data;
    assert.equal(payload.sub, account?.['id']);
    assert.deepEqual([payload['provider'], payload['name']], ['github', keeper.name]);
    assert.equal(Number(payload.exp) - Number(payload.iat), 3600);
  });

  it('refuses a revoked token at once on every node and in every cache, and accepts other tokens', async () => {
    const { simulator, service } = shared;
    const { databaseUrl } = service;
    await using secondNode = await startStoredService({
      simulator,
      databaseUrl,
      settings: { PUBLIC_URL: service.url },
    });
    const [first, second] = [
      await serviceToken(service, simulator, keeper),
      await serviceToken(secondNode, simulator, keeper),
    ];
    for (const node of [service, secondNode]) {
      for (const token of [first, second]) {
        // The second response comes from the cache.
        for (let attempt = 0; attempt < 2; attempt += 1) {
          assert.equal((await node.get(`${keeper.name}/contributors`, bearer(token))).status, 200);
        }
      }
    }
    const tokenId = String(decode(first).payload['jti']);
    const revoked = await service.get(`${keeper.name}/tokens/${tokenId}`, jsonRequest('DELETE', second));
    assert.deepEqual([revoked.status, revoked.text], [204, '']);
    assert.equal((await service.get(`${keeper.name}/contributors`, bearer(first))).status, 401);
    await until(async () => {
      const { status } = await secondNode.get(`${keeper.name}/contributors`, bearer(first));
      return status === 401 ? true : undefined;
    }, 'the other node has heard');
    for (const node of [service, secondNode]) {
      assert.equal((await node.get(`${keeper.name}/contributors`, bearer(second))).status, 200);
    }
    // The bearer of a token may revoke it.
    await service.get(`${keeper.name}/tokens/${String(decode(second).payload['jti'])}`, jsonRequest('DELETE', second));
    assert.equal((await service.get(`${keeper.name}/contributors`, bearer(second))).status, 401);
  });

  it('replaces signing keys in time on all nodes, and accepts tokens of the old key until they expire', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    await using service = await startStoredService({ simulator, now });
    const { databaseUrl } = service;
    await using secondNode = await startStoredService({
      simulator,
      now,
      databaseUrl,
      settings: { PUBLIC_URL: service.url },
    });
    const kids = async (): Promise<string[]> =>
      (JSON.parse((await secondNode.get('/.well-known/jwks.json')).text) as Jwks).keys.map(({ kid }) => kid);
    const tend = (): Promise<void> => tendSigningKeys(service.database.connection, now(), generateSigningKey);
    // Both nodes need a first key at once, and only one is created.
    const [first, also] = await Promise.all([
      serviceToken(service, simulator, keeper),
      serviceToken(secondNode, simulator, ada),
    ]);
    assert.equal(decode(first).header['kid'], decode(also).header['kid']);
    assert.equal((await kids()).length, 1);
    const dayS = 86_400;
    advance(24 * dayS);
    await tend();
    const published = await kids();
    assert.equal(published.length, 2, 'the next key is known before it signs');
    const before = await serviceToken(service, simulator, keeper);
    assert.equal(decode(before).header['kid'], published[0]);
    advance(6 * dayS - 60);
    const last = await serviceToken(service, simulator, keeper);
    assert.equal(decode(last).header['kid'], published[0]);
    advance(120);
    await tend();
    const next = await serviceToken(secondNode, simulator, keeper);
    assert.equal(decode(next).header['kid'], published[1]);
    for (const node of [service, secondNode]) {
      for (const token of [last, next]) assert.notEqual((await node.get(keeper.name, bearer(token))).status, 401);
    }
    const { rows } = await service.database.pool.query('select 1 from signing_keys where private_key is not null');
    assert.equal(rows.length, 1, 'what signs no more is forgotten');
    advance(2 * dayS);
    await tend();
    assert.deepEqual(await kids(), published.slice(1));
  });

  it('stores neither a service token nor its hash in the database', async () => {
    const token = await serviceToken(shared.service, shared.simulator, keeper);
    await shared.service.get(keeper.name, bearer(token));
    const stored = await readAllTables(shared.service);
    assert.ok(stored.length > 1000);
    assert.ok(!stored.includes(token) && !stored.includes(createHash('sha256').update(token).digest('hex')));
  });
});
