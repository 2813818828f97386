import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, it } from 'node:test';
import { SignJWT } from 'jose';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import type { TestService } from '../../e2e/service.ts';
import { ed25519, eddsa, forge, hmac, pem } from '../../integration/access/forge-token.ts';
import {
  ada,
  bearer,
  engines,
  fromOwnAddress,
  jsonRequest,
  keeper,
  serviceToken,
} from '../../integration/access/owner.ts';
import { clock, until } from '../../time.ts';
import { shareStoredService, startStoredService } from '../http/stored-service.ts';

const settings = { TRUST_PROXY: 'loopback' };

async function register(service: TestService, name: string, token: string, key: unknown) {
  return service.get(`${name}/keys`, fromOwnAddress(jsonRequest('PUT', token, { data: { key } })));
}

const kinds = {
  Ed25519: () => ({ ...ed25519(), alg: 'EdDSA' }),
  'P-256': () => ({ ...generateKeyPairSync('ec', { namedCurve: 'P-256' }), alg: 'ES256' }),
  'P-384': () => ({ ...generateKeyPairSync('ec', { namedCurve: 'P-384' }), alg: 'ES384' }),
  RSA: () => ({ ...generateKeyPairSync('rsa', { modulusLength: 2048 }), alg: 'PS256' }),
} satisfies Record<string, () => { publicKey: KeyObject; privateKey: KeyObject; alg: string }>;

const fingerprint = (key: KeyObject): string =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex');

describe('long-term keys', () => {
  const shared = shareStoredService({ service: { settings } });

  it('registers keys of every allowed kind, as PEM or JWK, and accepts tokens that they sign', async () => {
    const own = shared.simulator.tokens.private_owner;
    const ids: string[] = [];
    for (const [kind, make] of Object.entries(kinds)) {
      const { publicKey, privateKey, alg } = make();
      const id = fingerprint(publicKey);
      ids.push(id);
      const jwk = publicKey.export({ format: 'jwk' });
      for (const key of [pem(publicKey), JSON.stringify(jwk), jwk, `\n${pem(publicKey)}\n`]) {
        const response = await register(shared.service, keeper.name, own, key);
        assert.equal(response.status, 200, `${kind}: ${response.text}`);
        assert.equal(response.text, `{"meta_data":{"count":1,"data_type":7},"data":{"id":"${id}"}}`);
      }
      const [account] = (await shared.service.get(keeper.name)).body.data;
      for (const subject of [String(account?.['id']), `github/${keeper.name}`, `github/${keeper.name.toUpperCase()}`]) {
        const token = await new SignJWT()
          .setProtectedHeader({ alg, kid: id })
          .setAudience(shared.service.url)
          .setSubject(subject)
          .setExpirationTime('10m')
          .sign(privateKey);
        const { status, body } = await shared.service.get(`${keeper.name}/repositories`, bearer(token));
        assert.equal(status, 200, `${kind} ${subject}`);
        assert.ok(body.data.some((repository) => repository['private'] === true));
      }
    }
    const listed = await shared.service.get(`${keeper.name}/keys`, fromOwnAddress(bearer(own)));
    assert.deepEqual(listed.body.data.map(({ id }) => String(id)).toSorted(), ids.toSorted());
    assert.deepEqual(Object.keys(listed.body.data[0] ?? {}).toSorted(), [
      'confirmed_dttm',
      'created_dttm',
      'ends_dttm',
      'id',
      'key',
      'kind',
      'registered_by',
      'state',
    ]);
    assert.match(listed.text, /BEGIN PUBLIC KEY/);
    const byServiceToken = await shared.service.get(
      `${keeper.name}/keys`,
      fromOwnAddress(bearer(await serviceToken(shared.service, shared.simulator, keeper))),
    );
    assert.equal(byServiceToken.text, listed.text);
  });

  it('refuses weak, private and malformed keys and keys of other kinds, and does not store them', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startStoredService({ simulator, settings });
    const own = simulator.tokens.private_owner;
    const small = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const shortModulus = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const secret = ed25519();
    const rsaJwk = shortModulus.publicKey.export({ format: 'jwk' });
    for (const [title, key] of Object.entries({
      'RSA of 1024 bits': pem(small.publicKey),
      'RSA with exponent 1': { ...rsaJwk, e: 'AQ' },
      'RSA-PSS': pem(generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey),
      'P-521': pem(generateKeyPairSync('ec', { namedCurve: 'P-521' }).publicKey),
      secp256k1: pem(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey),
      X25519: pem(generateKeyPairSync('x25519').publicKey),
      Ed448: pem(generateKeyPairSync('ed448').publicKey),
      'a private key, PEM': secret.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      'a private key, JWK': secret.privateKey.export({ format: 'jwk' }),
      'a private key, JWK text': JSON.stringify(secret.privateKey.export({ format: 'jwk' })),
      'a symmetric key': { kty: 'oct', k: 'AAAA' },
      'a certificate': '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
      invalidText: 'nonsense',
      'PEM of nonsense': '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----',
      'a JWK of nonsense': { kty: 'OKP', crv: 'Ed25519', x: 'AA' },
      'an EC point off the curve': { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43) },
      'an empty object': {},
      'broken JSON': '{"kty":',
      'too much': 'x'.repeat(20_000),
    })) {
      const response = await register(service, keeper.name, own, key);
      assert.equal(response.status, 400, title);
      assert.equal(response.body.error?.code, 3, title);
      assert.ok(!response.text.includes('AAAA'), title);
    }
    for (const body of [{}, { data: {} }, { key: 'x' }]) {
      const response = await service.get(`${keeper.name}/keys`, fromOwnAddress(jsonRequest('PUT', own, body)));
      assert.deepEqual([response.status, response.body.error?.code], [400, 1], JSON.stringify(body));
    }
    for (const key of [1, null, ['x'], true]) {
      assert.equal((await register(service, keeper.name, own, key)).status, 400);
    }
    const { rows } = await service.database.pool.query('select 1 from owner_keys');
    assert.equal(rows.length, 0);
    const { d } = secret.privateKey.export({ format: 'jwk' });
    assert.ok(d && service.lines.every((line) => !line.includes(d)));
  });

  it('registers keys only for the owner of the account at the provider', async () => {
    const { tokens } = shared.simulator;
    const key = pem(ed25519().publicKey);
    const own = await serviceToken(shared.service, shared.simulator, keeper);
    for (const [name, token, status] of [
      [keeper.name, tokens.user, 403],
      [engines.name, tokens.organization_member, 403],
      [engines.name, tokens.organization_pending, 403],
      ['nobody-at-all', tokens.user, 403],
      [keeper.name, 'ghp_unknown', 401],
      // A service token cannot register keys, because they would outlive it.
      [keeper.name, own, 401],
      [engines.name, tokens.organization_admin, 200],
    ] as const) {
      assert.equal((await register(shared.service, name, token, key)).status, status, name);
    }
    for (const method of ['PUT', 'GET']) {
      const init = {
        method,
        ...(method === 'PUT' && { body: '{"data":{"key":"x"}}', headers: { 'content-type': 'application/json' } }),
      };
      assert.equal((await shared.service.get(`${keeper.name}/keys`, fromOwnAddress(init))).status, 401);
    }
  });

  it('refuses a token that breaks a rule, even when an owner signed it', async () => {
    const { now } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    await using service = await startStoredService({ simulator, holdsWorld: true, settings, now });
    const { publicKey, privateKey } = ed25519();
    await register(service, keeper.name, simulator.tokens.private_owner, pem(publicKey));
    const unregistered = ed25519();
    await register(service, ada.name, simulator.tokens.user, pem(unregistered.publicKey));
    const kid = fingerprint(publicKey);
    const iat = Math.floor(now().getTime() / 1000);
    const header = { alg: 'EdDSA', kid };
    const payload = { aud: service.url, sub: `github/${keeper.name}`, iat, exp: iat + 600 };
    const { iat: _iat, ...lasting } = payload;
    const signed = (heads: object, claims: object, key = privateKey): string =>
      forge({ header: { ...header, ...heads }, payload: { ...claims } }, eddsa(key));
    const fetchStatus = async (token: string): Promise<number> =>
      (await service.get(`${keeper.name}/repositories`, bearer(token))).status;
    for (const [title, token] of Object.entries({
      plain: signed({}, payload),
      'typ JWT': signed({ typ: 'JWT' }, payload),
      'typ at+jwt': signed({ typ: 'at+jwt' }, payload),
      'without iat': signed({}, lasting),
      'a whole day': signed({}, { ...payload, exp: iat + 86_400 }),
      'several audiences': signed({}, { ...payload, aud: ['https://other.example', service.url] }),
      'to read': signed({}, { ...payload, scope: 'read' }),
    })) {
      assert.equal(await fetchStatus(token), 200, title);
    }
    const { exp: _exp, ...endless } = payload;
    const { sub: _sub, ...anonymous } = payload;
    const { aud: _aud, ...unaddressed } = payload;
    const spki = publicKey.export({ type: 'spki', format: 'der' });
    for (const [title, token] of Object.entries({
      'more than a day': signed({}, { ...payload, exp: iat + 86_401 }),
      'more than a day, without iat': signed({}, { ...lasting, exp: iat + 86_400 + 60 }),
      'issued in the future': signed({}, { ...payload, iat: iat + 60, exp: iat + 660 }),
      over: signed({}, { ...payload, exp: iat - 60 }),
      'without exp': signed({}, endless),
      'without sub': signed({}, anonymous),
      'without aud': signed({}, unaddressed),
      'another audience': signed({}, { ...payload, aud: 'https://other.example' }),
      'for another account': signed({}, { ...payload, sub: `github/${ada.name}` }),
      "for another account's id": signed({}, { ...payload, sub: '00000000-0000-7000-8000-000000000000' }),
      'at another provider': signed({}, { ...payload, sub: `gitlab/${keeper.name}` }),
      "with another account's kid": signed(
        { kid: fingerprint(unregistered.publicKey) },
        payload,
        unregistered.privateKey,
      ),
      "with another account's kid, own key": signed({ kid: fingerprint(unregistered.publicKey) }, payload),
      'signed by another key': signed({}, payload, unregistered.privateKey),
      'unknown kid': signed({ kid: '0'.repeat(64) }, payload),
      'another typ': signed({ typ: 'dpop+jwt' }, payload),
      'alg none': forge({ header: { ...header, alg: 'none' }, payload }),
      'HS256 with the public key': forge({ header: { ...header, alg: 'HS256' }, payload }, hmac(spki)),
      'HS256 with the PEM': forge({ header: { ...header, alg: 'HS256' }, payload }, hmac(pem(publicKey))),
      'another alg': signed({ alg: 'ES256' }, payload),
      'embedded jwk': signed(
        { jwk: unregistered.publicKey.export({ format: 'jwk' }) },
        payload,
        unregistered.privateKey,
      ),
      jku: signed({ jku: 'https://attacker.example' }, payload),
      crit: signed({ crit: ['exp'] }, payload),
      'an unknown scope': signed({}, { ...payload, scope: 'everything' }),
      'a jti that is no text': signed({}, { ...payload, jti: 7 }),
      'a jti of control letters': signed({}, { ...payload, jti: 'a\0b' }),
    })) {
      assert.equal(await fetchStatus(token), 401, title);
    }
  });

  it('refuses every change with a read-only token, except that the token can revoke itself', async () => {
    const { now } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    await using service = await startStoredService({ simulator, holdsWorld: true, settings, now });
    const { publicKey, privateKey } = ed25519();
    await register(service, keeper.name, simulator.tokens.private_owner, pem(publicKey));
    const kid = fingerprint(publicKey);
    const exp = Math.floor(now().getTime() / 1000) + 600;
    const payload = { aud: service.url, sub: `github/${keeper.name}`, exp, scope: 'read', jti: 'ci-1' };
    const reading = forge({ header: { alg: 'EdDSA', kid }, payload }, eddsa(privateKey));
    const fetchStatus = async (): Promise<number> =>
      (await service.get(`${keeper.name}/repositories`, bearer(reading))).status;
    assert.equal(await fetchStatus(), 200);
    for (const [method, path, body] of [
      ['PUT', 'settings', { hidden: true }],
      ['POST', 'embeds', { path: `/v1/github/entities/${keeper.name}/contributions`, format: 'svg' }],
      ['DELETE', `keys/${kid}`, undefined],
      ['DELETE', 'tokens/another', undefined],
      ['DELETE', '', undefined],
    ] as const) {
      const response = await service.get(
        `${keeper.name}${path && `/${path}`}`,
        fromOwnAddress(jsonRequest(method, reading, body)),
      );
      assert.equal(response.status, 403, `${method} ${path}`);
    }
    assert.equal((await service.get(`${keeper.name}/tokens/ci-1`, jsonRequest('DELETE', reading))).status, 204);
    assert.equal(await fetchStatus(), 401);
  });

  it('refuses tokens at once on every node when the key that signed them is removed', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startStoredService({ simulator, settings });
    const { databaseUrl } = service;
    await using secondNode = await startStoredService({
      simulator,
      databaseUrl,
      settings: { PUBLIC_URL: service.url },
    });
    const { publicKey, privateKey } = ed25519();
    const id = fingerprint(publicKey);
    await register(service, keeper.name, simulator.tokens.private_owner, pem(publicKey));
    const token = await new SignJWT()
      .setProtectedHeader({ alg: 'EdDSA', kid: id })
      .setAudience(service.url)
      .setSubject(`github/${keeper.name}`)
      .setExpirationTime('1h')
      .sign(privateKey);
    for (const node of [service, secondNode])
      assert.equal((await node.get(`${keeper.name}/audit`, bearer(token))).status, 200);
    const unknown = await service.get(
      `${keeper.name}/keys/${'0'.repeat(64)}`,
      fromOwnAddress(jsonRequest('DELETE', token)),
    );
    assert.equal(unknown.status, 404);
    const deleted = await service.get(
      `${keeper.name}/keys/${id}`,
      fromOwnAddress(jsonRequest('DELETE', simulator.tokens.private_owner)),
    );
    assert.equal(deleted.status, 204);
    assert.equal((await service.get(`${keeper.name}/audit`, bearer(token))).status, 401);
    await until(
      async () => ((await secondNode.get(`${keeper.name}/audit`, bearer(token))).status === 401 ? true : undefined),
      'the other node has heard',
    );
  });
});
