import assert from 'node:assert/strict';
import { createHash, createPublicKey } from 'node:crypto';
import { test } from 'node:test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { startHttpServer } from '../git/http-server.ts';
import { startSimulator } from '../github/simulator.ts';
import { assertProblem, send } from '../raw-request.ts';
import { clock, startTestService, type TestService, until } from '../service.ts';
import { decode, ed25519, eddsa, forge, fromJwk, hmac, type Parts } from './forging.ts';
import { ada, bearer, engines, keeper, sending, serviceToken } from './owner.ts';

interface Jwks {
  keys: { kid: string; x: string; kty: string; d?: string }[];
}

const repositories = `/v1/github/entities/${keeper.name}/repositories`;

async function refused(service: TestService, token: string, what: string): Promise<void> {
  for (const path of [repositories, `/v1/github/entities/${keeper.name}`, '/healthz']) {
    const answer = await send(service, path, 'GET', { authorization: `Bearer ${token}` });
    assert.equal(answer.status, 401, `${what} at ${path}: ${answer.body}`);
    assertProblem(answer, what);
    assert.equal(JSON.parse(answer.body).error.code, 4);
    assert.equal(answer.headers['cache-control'], 'no-store');
  }
}

test('a token is what any library takes it for, by the published keys', async () => {
  await using simulator = await startSimulator();
  await using service = await startTestService({ simulator });
  const token = await serviceToken(service, simulator, keeper);
  const published = await service.get('/.well-known/jwks.json');
  assert.match(published.headers.get('cache-control') ?? '', /^public, max-age=\d+$/);
  const { keys } = JSON.parse(published.text) as Jwks;
  assert.ok(keys.length > 0 && keys.every((key) => key.d === undefined && key.kty === 'OKP'));
  const jwks = createRemoteJWKSet(new URL(`${service.url}/.well-known/jwks.json`));
  const { payload, protectedHeader } = await jwtVerify(token, jwks, {
    issuer: service.url,
    audience: service.url,
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
  const [account] = (await service.get(keeper.name, bearer(token))).body.data;
  assert.equal(payload.sub, account?.['id']);
  assert.deepEqual([payload['provider'], payload['name']], ['github', keeper.name]);
  assert.equal(Number(payload.exp) - Number(payload.iat), 3600);
});

test('no forged, altered, borrowed or outlived token is accepted anywhere', async () => {
  const { now, advance } = clock();
  const heard: string[] = [];
  const attacker = ed25519();
  await using stranger = await startHttpServer((request, response) => {
    heard.push(String(request.url));
    response.end(JSON.stringify({ keys: [{ ...attacker.publicKey.export({ format: 'jwk' }), kid: 'k' }] }));
  });
  await using simulator = await startSimulator({ now });
  await using service = await startTestService({ simulator, now });
  const token = await serviceToken(service, simulator, keeper);
  assert.equal((await send(service, repositories, 'GET', { authorization: `Bearer ${token}` })).status, 200);
  const good = decode(token);
  const { rows } = await service.database.pool.query<{ private_key: object; public_key: Record<string, string> }>(
    'select private_key, public_key from signing_keys',
  );
  const key = fromJwk(rows[0]?.private_key ?? {});
  const byService = eddsa(key);
  const byAttacker = eddsa(attacker.privateKey);
  const change = (header: object, payload: object = {}): Parts => ({
    header: { ...good.header, ...header },
    payload: { ...good.payload, ...payload },
  });
  const without = (claim: string): Parts => {
    const { [claim]: _, ...payload } = good.payload;
    return { header: good.header, payload };
  };
  // What the others are measured against: signed by hand, with nothing wrong, it is good.
  const fine = await send(service, repositories, 'GET', { authorization: `Bearer ${forge(good, byService)}` });
  assert.notEqual(fine.status, 401);

  const spki = createPublicKey({ key: { ...rows[0]?.public_key }, format: 'jwk' });
  const pem = spki.export({ type: 'spki', format: 'pem' }).toString();
  const der = spki.export({ type: 'spki', format: 'der' });
  const raw = Buffer.from(rows[0]?.public_key['x'] ?? '', 'base64url');
  const x5c = [Buffer.from('x').toString('base64')];
  const attackerJwk = attacker.publicKey.export({ format: 'jwk' });
  const iat = Number(good.payload['iat']);
  const [head, body, signature = ''] = token.split('.');
  const forged: Record<string, string> = {
    'alg none': forge(change({ alg: 'none' })),
    'alg None': forge(change({ alg: 'None' })),
    'alg NONE with the signature': `${forge(change({ alg: 'NONE' }))}${signature}`,
    'no signature': `${head}.${body}.`,
    'two parts': `${head}.${body}`,
    'HS256 with the public key, PEM': forge(change({ alg: 'HS256' }), hmac(pem)),
    'HS256 with the public key, DER': forge(change({ alg: 'HS256' }), hmac(der)),
    'HS256 with the public key, raw': forge(change({ alg: 'HS256' }), hmac(raw)),
    'HS256 with nothing': forge(change({ alg: 'HS256' }), hmac('')),
    'alg ES256': forge(change({ alg: 'ES256' }), byService),
    'alg RS256': forge(change({ alg: 'RS256' }), byService),
    'alg a list': forge(change({ alg: ['EdDSA'] }), byService),
    'alg missing': forge({ header: { typ: 'at+jwt', kid: good.header['kid'] }, payload: good.payload }, byService),
    'signed by somebody else': forge(good, byAttacker),
    'embedded jwk': forge(change({ jwk: attackerJwk }), byAttacker),
    'embedded jwk, well signed': forge(change({ jwk: attackerJwk }), byService),
    jku: forge(change({ jku: stranger.url, kid: 'k' }), byAttacker),
    'jku, well signed': forge(change({ jku: stranger.url }), byService),
    x5u: forge(change({ x5u: stranger.url }), byAttacker),
    x5c: forge(change({ x5c }), byService),
    crit: forge(change({ crit: ['exp'] }), byService),
    'crit of something unknown': forge(change({ crit: ['x'], x: 1 }), byService),
    'b64 false': forge(change({ b64: false, crit: ['b64'] }), byService),
    'typ missing': forge({ header: { alg: 'EdDSA', kid: good.header['kid'] }, payload: good.payload }, byService),
    'typ JWT': forge(change({ typ: 'JWT' }), byService),
    'typ a number': forge(change({ typ: 1 }), byService),
    'kid missing': forge({ header: { alg: 'EdDSA', typ: 'at+jwt' }, payload: good.payload }, byService),
    'kid unknown': forge(change({ kid: 'x'.repeat(43) }), byAttacker),
    'kid a path': forge(change({ kid: '../../../../dev/null' }), hmac('')),
    'kid SQL': forge(change({ kid: "' or 1=1 --" }), byAttacker),
    'kid SQL union': forge(change({ kid: "x' union select 'AA' --" }), hmac('AA')),
    'kid with a null byte': forge(change({ kid: `${good.header['kid']}\0` }), byService),
    'kid an object': forge(change({ kid: { id: good.header['kid'] } }), byService),
    'kid very long': forge(change({ kid: 'k'.repeat(3000) }), byService),
    'aud missing': forge(without('aud'), byService),
    'aud of another service': forge(change({}, { aud: 'https://other.example' }), byService),
    'aud with a slash': forge(change({}, { aud: `${service.url}/` }), byService),
    'aud of several': forge(change({}, { aud: [service.url, 'https://other.example'] }), byService),
    'iss missing': forge(without('iss'), byService),
    'iss of another': forge(change({}, { iss: 'https://other.example' }), byService),
    'sub missing': forge(without('sub'), byService),
    'sub empty': forge(change({}, { sub: '' }), byService),
    'sub of nobody': forge(change({}, { sub: '00000000-0000-7000-8000-000000000000' }), byService),
    'sub SQL': forge(change({}, { sub: "x' or true --" }), byService),
    'sub a name': forge(change({}, { sub: `github/${keeper.name}` }), byService),
    'exp missing': forge(without('exp'), byService),
    'exp over': forge(change({}, { exp: iat - 31 }), byService),
    'exp text': forge(change({}, { exp: String(iat + 600) }), byService),
    'nbf in the future': forge(change({}, { nbf: iat + 31 }), byService),
    'nbf missing': forge(without('nbf'), byService),
    'iat missing': forge(without('iat'), byService),
    'exp in the far future': forge(change({}, { exp: iat + 10 * 365 * 86_400 }), byService),
    'jti missing': forge(without('jti'), byService),
    'scope missing': forge(without('scope'), byService),
    'scope unknown': forge(change({}, { scope: 'read manage admin' }), byService),
    'a changed payload': `${head}.${Buffer.from(JSON.stringify({ ...good.payload, name: 'x' })).toString('base64url')}.${signature}`,
    'a changed signature': `${head}.${body}.${Buffer.alloc(64, 7).toString('base64url')}`,
    'too long': `${head}.${body}.${'A'.repeat(9000)}`,
    'five parts': `${head}.${body}.${signature}.x.y`,
    'payload that is no JSON': `${head}.${Buffer.from('x').toString('base64url')}.${signature}`,
    'header that is no JSON': `${Buffer.from('x').toString('base64url')}.${body}.${signature}`,
    nonsense: 'eyJ.eyJ.x',
  };
  for (const [what, one] of Object.entries(forged)) await refused(service, one, what);
  assert.deepEqual(heard, []);

  // Half a minute is allowed between two clocks, and no more.
  const late = forge(change({}, { exp: iat + 100 }), byService);
  advance(125);
  assert.notEqual((await send(service, repositories, 'GET', { authorization: `Bearer ${late}` })).status, 401);
  advance(6);
  await refused(service, late, 'a token that was good, and known, and is over');
  advance(3600);
  await refused(service, token, 'the real one after its time');
  assert.ok(service.lines.every((line) => !line.includes(signature)));
});

test('a token of one account opens nothing of another: by name, id, case, former name, nor what others own', async () => {
  await using simulator = await startSimulator();
  await using service = await startTestService({
    simulator,
    tokens: ['private_owner', 'organization_admin'],
    settings: { TRUST_PROXY: 'loopback' },
  });
  const keepers = await serviceToken(service, simulator, keeper);
  await serviceToken(service, simulator, engines);
  await service.get(simulator.accounts.renamed_from);
  await service.getComplete(`${engines.name}/contributors`);
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
      const answer = await send(service, `/v1/github/entities/${name}/${path}`, 'GET', {
        authorization: `Bearer ${keepers}`,
        // The limit of attempts of one address is not what is tried here.
        'x-forwarded-for': `10.1.0.${bodies.size + path.length}`,
      });
      assert.equal(answer.status, 403, `${name}/${path}`);
      bodies.add(answer.body);
    }
  }
  assert.equal(bodies.size, 1, 'what is there and what is not are refused in the same words');
  for (const [method, path, body] of [
    ['PUT', 'settings', { hidden: true }],
    ['DELETE', '', undefined],
    ['DELETE', 'tokens/x', undefined],
    ['DELETE', `keys/${'a'.repeat(64)}`, undefined],
  ] as const) {
    const answer = await service.get(`${engines.name}${path && `/${path}`}`, sending(method, keepers, body));
    assert.equal(answer.status, 403, `${method} ${path}`);
  }
  // On public addresses it is a valid token of somebody, who sees what everybody sees.
  const open = await service.get(`${engines.name}/contributors?limit=100`);
  const asOther = await service.get(`${engines.name}/contributors?limit=100`, bearer(keepers));
  assert.equal(asOther.text, open.text);
  assert.equal(asOther.headers.get('cache-control'), 'private, no-store');
  const hidden = await service.get(`${engines.name}/contributors?repository=hidden-engine`, bearer(keepers));
  const missing = await service.get(`${engines.name}/contributors?repository=no-such-engine`, bearer(keepers));
  assert.deepEqual([hidden.status, hidden.text], [404, missing.text]);
});

test('a token in an address opens nothing and is kept nowhere', async () => {
  await using simulator = await startSimulator();
  await using service = await startTestService({
    simulator,
    tokens: ['private_owner'],
    settings: { LOG_LEVEL: 'trace' },
  });
  const token = await serviceToken(service, simulator, keeper);
  await service.getComplete(`${keeper.name}/contributors`, bearer(token));
  const seen: string[] = [];
  for (const name of ['token', 'access_token', 'Token', 'jwt', 'authorization']) {
    for (const path of ['repositories', 'repositories/diary/contributors']) {
      const answer = await service.get(`${keeper.name}/${path}?${name}=${token}`);
      assert.equal(answer.status, 401);
    }
    const list = await service.get(`${keeper.name}/contributors?limit=1&${name}=${token}`);
    assert.equal(list.body.meta_data.includes_private, false);
    const numbers = await service.get(`${keeper.name}/contributions?private=true&${name}=${token}`);
    assert.equal(numbers.body.meta_data.includes_private, false);
    seen.push(list.text, JSON.stringify([...list.headers]), numbers.text);
  }
  assert.ok(![...seen, ...service.lines].some((text) => text.includes(token.slice(-40))));
});

test('a revoked token ends at once on every node, also where it was known; others go on', async () => {
  await using simulator = await startSimulator();
  await using service = await startTestService({ simulator, tokens: ['private_owner'] });
  const { databaseUrl } = service;
  await using other = await startTestService({ simulator, databaseUrl, settings: { PUBLIC_URL: service.url } });
  const [one, two] = [await serviceToken(service, simulator, keeper), await serviceToken(other, simulator, keeper)];
  await service.getComplete(`${keeper.name}/contributors`, bearer(one));
  for (const node of [service, other]) {
    for (const token of [one, two]) {
      // Twice: the second is answered from the cache.
      for (let look = 0; look < 2; look += 1) {
        assert.equal((await node.get(`${keeper.name}/contributors`, bearer(token))).status, 200);
      }
    }
  }
  const tokenId = String(decode(one).payload['jti']);
  const revoked = await service.get(`${keeper.name}/tokens/${tokenId}`, sending('DELETE', two));
  assert.deepEqual([revoked.status, revoked.text], [204, '']);
  assert.equal((await service.get(`${keeper.name}/contributors`, bearer(one))).status, 401);
  await until(async () => {
    const { status } = await other.get(`${keeper.name}/contributors`, bearer(one));
    return status === 401 ? true : undefined;
  }, 'the other node has heard');
  for (const node of [service, other]) {
    assert.equal((await node.get(`${keeper.name}/contributors`, bearer(two))).status, 200);
  }
  // Whoever holds it may end it.
  await service.get(`${keeper.name}/tokens/${String(decode(two).payload['jti'])}`, sending('DELETE', two));
  assert.equal((await service.get(`${keeper.name}/contributors`, bearer(two))).status, 401);
});

test('keys are replaced in time: tokens of the old one stay good to their end, and nodes agree', async () => {
  const { now, advance } = clock();
  await using simulator = await startSimulator({ now });
  await using service = await startTestService({ simulator, now });
  const { databaseUrl } = service;
  await using other = await startTestService({ simulator, now, databaseUrl, settings: { PUBLIC_URL: service.url } });
  const kids = async (): Promise<string[]> =>
    (JSON.parse((await other.get('/.well-known/jwks.json')).text) as Jwks).keys.map(({ kid }) => kid);
  const tend = async (): Promise<void> => {
    const { pool } = service.database;
    await pool.query("select graphile_worker.add_job('tend_keys')");
    await until(async () => {
      const { rows } = await pool.query("select 1 from graphile_worker.jobs where task_identifier = 'tend_keys'");
      return rows.length === 0 ? true : undefined;
    }, 'the keys are tended');
  };
  // Both nodes need a first key at once, and make one.
  const [first, also] = await Promise.all([
    serviceToken(service, simulator, keeper),
    serviceToken(other, simulator, ada),
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
  const next = await serviceToken(other, simulator, keeper);
  assert.equal(decode(next).header['kid'], published[1]);
  for (const node of [service, other]) {
    for (const token of [last, next]) assert.notEqual((await node.get(keeper.name, bearer(token))).status, 401);
  }
  const { rows } = await service.database.pool.query('select 1 from signing_keys where private_key is not null');
  assert.equal(rows.length, 1, 'what signs no more is forgotten');
  advance(2 * dayS);
  await tend();
  assert.deepEqual(await kids(), published.slice(1));
});

test('what a node remembers of a token is not the token', async () => {
  await using simulator = await startSimulator();
  await using service = await startTestService({ simulator });
  const token = await serviceToken(service, simulator, keeper);
  await service.get(keeper.name, bearer(token));
  const { rows } = await service.database.pool.query<{ text: string }>(
    `select string_agg(query_to_xml(format('select * from %I.%I', schemaname, tablename), true, false, '')::text, '') as text
     from pg_tables where schemaname in ('public', 'graphile_worker')`,
  );
  const stored = rows[0]?.text ?? '';
  assert.ok(stored.length > 1000);
  assert.ok(!stored.includes(token) && !stored.includes(createHash('sha256').update(token).digest('hex')));
});
