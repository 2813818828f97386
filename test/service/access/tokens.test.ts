import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startHttpServer } from '../../../simulators/git/http-server.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { assertProblem, send } from '../../e2e/raw-request.ts';
import type { TestService } from '../../e2e/service.ts';
import { decode, ed25519, eddsa, forge, fromJwk } from '../../integration/access/forge-token.ts';
import { bearer, engines, jsonRequest, keeper, serviceToken } from '../../integration/access/owner.ts';
import { storeAbsentRepositories } from '../../integration/http/stored-world.ts';
import { clock } from '../../time.ts';
import { shareStoredService, startStoredService } from '../http/stored-service.ts';
import { misshapen, withForgedClaims, withForgedHeaders } from './forged-tokens.ts';

const repositories = `/v1/github/entities/${keeper.name}/repositories`;

async function assertRefused(service: TestService, token: string, title: string): Promise<void> {
  for (const path of [repositories, `/v1/github/entities/${keeper.name}`, '/healthz']) {
    const response = await send(service, path, 'GET', { authorization: `Bearer ${token}` });
    assert.equal(response.status, 401, `${title} at ${path}: ${response.body}`);
    assertProblem(response, title);
    assert.equal(JSON.parse(response.body).error.code, 4);
    assert.equal(response.headers['cache-control'], 'no-store');
  }
}

describe('service tokens', () => {
  const shared = shareStoredService({ service: { settings: { TRUST_PROXY: 'loopback', LOG_LEVEL: 'trace' } } });

  it('refuses every forged, altered, borrowed or expired token', async () => {
    const { now, advance } = clock();
    const requestedUrls: string[] = [];
    const attacker = ed25519();
    await using stranger = await startHttpServer((request, response) => {
      requestedUrls.push(String(request.url));
      response.end(JSON.stringify({ keys: [{ ...attacker.publicKey.export({ format: 'jwk' }), kid: 'k' }] }));
    });
    await using simulator = await startSimulator({ now, repositories: 1 });
    await using service = await startStoredService({ simulator, holdsWorld: true, now });
    const token = await serviceToken(service, simulator, keeper);
    assert.equal((await send(service, repositories, 'GET', { authorization: `Bearer ${token}` })).status, 200);
    const good = decode(token);
    const { rows } = await service.database.pool.query<{ private_key: object; public_key: Record<string, string> }>(
      'select private_key, public_key from signing_keys',
    );
    const key = fromJwk(rows[0]?.private_key ?? {});
    const byService = eddsa(key);
    // The control: a token that is signed by hand, without a fault, is valid.
    const fine = await send(service, repositories, 'GET', { authorization: `Bearer ${forge(good, byService)}` });
    assert.notEqual(fine.status, 401);

    const loot = {
      token,
      good,
      publicKey: rows[0]?.public_key ?? {},
      privateKey: key,
      attacker,
      attackerUrl: stranger.url,
      service: service.url,
    };
    const forged = { ...withForgedHeaders(loot), ...withForgedClaims(loot), ...misshapen(loot) };
    for (const [title, forgedToken] of Object.entries(forged)) await assertRefused(service, forgedToken, title);
    assert.deepEqual(requestedUrls, []);

    // The service's own tokens end exactly at their `exp`, also those that were verified before.
    const late = forge({ ...good, payload: { ...good.payload, exp: now().getTime() / 1000 + 100 } }, byService);
    advance(99);
    assert.notEqual((await send(service, repositories, 'GET', { authorization: `Bearer ${late}` })).status, 401);
    advance(1);
    await assertRefused(service, late, 'a token that was good, and known, and is over');
    const over = await send(service, repositories, 'GET', { authorization: `Bearer ${late}` });
    assert.deepEqual(JSON.parse(over.body), {
      error: { code: 4, type: 'unauthenticated', message: 'The token has expired. Get a new one.' },
    });
    assert.equal(over.headers['www-authenticate'], 'Bearer');
    advance(3600);
    await assertRefused(service, token, 'the real one after its time');
    assert.ok(service.lines.every((line) => !line.includes(token.slice(-40))));
  });

  it('refuses a token for another account, by name, id, letter case, former name or repository', async () => {
    const { simulator, service } = shared;
    await storeAbsentRepositories(service.database.connection, engines.name, ['hidden-engine', 'no-such-engine']);
    const keepers = await serviceToken(service, simulator, keeper);
    await serviceToken(service, simulator, engines);
    const [entity] = (await service.get(engines.name)).body.data;
    const bodies = new Set<string>();
    for (const name of [
      engines.name,
      engines.name.toUpperCase(),
      String(entity?.['id']),
      'old-mill',
      'new-mill',
      'nobody-at-all',
      '-impossible-',
      `${keeper.name}%00`,
      `${keeper.name}%2f..%2f${engines.name}`,
    ]) {
      for (const path of [
        'repositories',
        'repositories/hidden-engine/contributors',
        'settings',
        'audit',
        'export',
        'keys',
      ]) {
        const response = await send(service, `/v1/github/entities/${name}/${path}`, 'GET', {
          authorization: `Bearer ${keepers}`,
          // Each request comes from another address, so that the limit of attempts is not met.
          'x-forwarded-for': `10.1.0.${bodies.size + path.length}`,
        });
        assert.equal(response.status, 403, `${name}/${path}`);
        bodies.add(response.body);
      }
    }
    assert.equal(bodies.size, 1, 'existing and absent repositories are refused in the same words');
    for (const [method, path, body] of [
      ['PUT', 'settings', { hidden: true }],
      ['DELETE', '', undefined],
      ['DELETE', 'tokens/x', undefined],
      ['DELETE', `keys/${'a'.repeat(64)}`, undefined],
    ] as const) {
      const response = await service.get(`${engines.name}${path && `/${path}`}`, jsonRequest(method, keepers, body));
      assert.equal(response.status, 403, `${method} ${path}`);
    }
    // On public routes the token is valid, and its bearer sees the public data.
    const open = await service.get(`${engines.name}/contributors?limit=100`);
    const asOther = await service.get(`${engines.name}/contributors?limit=100`, bearer(keepers));
    assert.equal(asOther.text, open.text);
    assert.equal(asOther.headers.get('cache-control'), 'private, no-store');
    const hidden = await service.get(`${engines.name}/contributors?repository=hidden-engine`, bearer(keepers));
    const missing = await service.get(`${engines.name}/contributors?repository=no-such-engine`, bearer(keepers));
    assert.deepEqual([hidden.status, hidden.text], [404, missing.text]);
  });

  it('gives no access to a token in a URL, and repeats it neither in responses nor in the log', async () => {
    const { simulator, service } = shared;
    const token = await serviceToken(service, simulator, keeper);
    const seen: string[] = [];
    for (const name of ['token', 'access_token', 'Token', 'jwt', 'authorization']) {
      for (const path of ['repositories', 'repositories/diary/contributors']) {
        const response = await service.get(`${keeper.name}/${path}?${name}=${token}`);
        assert.equal(response.status, 401);
      }
      const list = await service.get(`${keeper.name}/contributors?limit=1&${name}=${token}`);
      assert.equal(list.body.meta_data.includes_private, false);
      const numbers = await service.get(`${keeper.name}/contributions?private=true&${name}=${token}`);
      assert.equal(numbers.body.meta_data.includes_private, false);
      seen.push(list.text, JSON.stringify([...list.headers]), numbers.text);
    }
    assert.ok(![...seen, ...service.lines].some((text) => text.includes(token.slice(-40))));
  });
});
