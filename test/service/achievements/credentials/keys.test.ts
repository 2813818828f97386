import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeProtectedHeader, type JWK } from 'jose';
import { generateSigningKey, type SigningAlgorithm } from '../../../../src/accounts/access/tokens/signing-key-store.ts';
import {
  currentCredentialKey,
  deleteSigners,
  findCredentialKeys,
} from '../../../../src/recognition/signing/key-store.ts';
import { openTestDatabase } from '../../../database.ts';
import type { TestService } from '../../../e2e/service.ts';
import { ada } from '../../../integration/access/owner.ts';
import { clock } from '../../../time.ts';
import { startStoredService } from '../../http/stored-service.ts';
import { award } from '../award.ts';
import { isRevoked, publicUrl, verifyByDid, verifyByKid } from './verifiers.ts';

async function issued(service: TestService, awardId: string): Promise<string> {
  const { status, text } = await service.get(`${ada.name}/achievements/${awardId}/credential`);
  assert.equal(status, 200, text);
  return text;
}

/** Starts a further node on the database of a service. */
function startNode(first: TestService, now: () => Date, settings: Record<string, string>): Promise<TestService> {
  return startStoredService({ databaseUrl: first.databaseUrl, now, settings: { PUBLIC_URL: publicUrl, ...settings } });
}

describe('keys of credentials', () => {
  for (const [setting, kty] of [
    ['RS256', 'RSA'],
    ['EdDSA', 'OKP'],
  ] as const) {
    it(`sign with ${setting} where CREDENTIAL_ALGORITHM says so, and the credential and its status verify`, async () => {
      const { now } = clock();
      const settings = { PUBLIC_URL: publicUrl, CREDENTIAL_ALGORITHM: setting };
      await using service = await startStoredService({ holdsWorld: true, now, settings });
      const jwt = await issued(service, await award(service, 'Hero'));
      assert.equal(decodeProtectedHeader(jwt).alg, setting);
      const { keys } = JSON.parse((await service.get('/v1/credential-keys')).text) as { keys: JWK[] };
      assert.deepEqual(
        keys.map((key) => [key.kty, key.alg, key.use]),
        [[kty, setting, 'sig']],
      );
      // did-jwt knows no RS256, so fast-jwt alone verifies it.
      if (setting === 'RS256') await verifyByKid({ service, now }, jwt);
      else assert.equal(await isRevoked({ service, now }, await verifyByDid({ service, now }, jwt)), false);
    });
  }

  it('are the same on all nodes, and change with the setting at the next signature', async () => {
    const { now } = clock();
    const settings = { PUBLIC_URL: publicUrl, CREDENTIAL_ALGORITHM: 'EdDSA' };
    await using service = await startStoredService({ holdsWorld: true, now, settings });
    const awardId = await award(service, 'Hero');
    const former = await issued(service, awardId);

    await using secondNode = await startNode(service, now, {});
    await using two = await startNode(service, now, {});
    const jwts = await Promise.all([secondNode, two, secondNode, two].map((node) => issued(node, awardId)));
    const headers = jwts.map((jwt) => decodeProtectedHeader(jwt));
    assert.deepEqual(new Set(headers.map(({ alg }) => alg)), new Set(['ES256']));
    assert.equal(new Set(headers.map(({ kid }) => kid)).size, 1);
    // During the change, the node with the former setting signs on with its key.
    assert.equal(decodeProtectedHeader(await issued(service, awardId)).kid, decodeProtectedHeader(former).kid);

    for (const jwt of [former, ...jwts]) {
      const credential = await verifyByDid({ service: secondNode, now }, jwt);
      assert.deepEqual(await verifyByKid({ service: secondNode, now }, jwt), credential);
      assert.equal(await isRevoked({ service: secondNode, now }, credential), false);
    }
  });

  it('are replaced once a year, and stay published, so that issued credentials verify', async () => {
    const { now, advance } = clock();
    await using service = await startStoredService({ holdsWorld: true, now, settings: { PUBLIC_URL: publicUrl } });
    const awardId = await award(service, 'Hero');
    const first = await issued(service, awardId);
    advance(400 * 86_400);
    const second = await issued(service, awardId);
    assert.notEqual(decodeProtectedHeader(first).kid, decodeProtectedHeader(second).kid);
    const credential = await verifyByDid({ service, now }, first);
    assert.deepEqual(await verifyByKid({ service, now }, second), credential);
  });

  it('lose their private part when their time to sign has ended, also after a change of the algorithm', async () => {
    await using opened = await openTestDatabase();
    const { connection, pool } = opened.database;
    const { now, advance } = clock();
    const keyFor = (algorithm: SigningAlgorithm) =>
      currentCredentialKey(connection, { now: now(), algorithm, newKey: generateSigningKey });
    await keyFor('EdDSA');
    advance(200 * 86_400);
    const current = await keyFor('ES256');
    advance(200 * 86_400);
    await deleteSigners(connection, now());
    const { rows } = await pool.query('select key_id from credential_signers');
    assert.deepEqual(rows, [{ key_id: current.id }]);
    assert.equal((await findCredentialKeys(connection)).length, 2);
  });

  it('stay in use where an earlier release stored them', async () => {
    const { now } = clock();
    const settings = { PUBLIC_URL: publicUrl, CREDENTIAL_ALGORITHM: 'EdDSA' };
    await using service = await startStoredService({ holdsWorld: true, now, settings });
    const { pool } = service.database;
    // The key of RFC 8037, appendix A.
    const publicKey = { crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', kty: 'OKP' };
    const id = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';
    await pool.query(`insert into credential_keys values ($1, $2, $3, $3::timestamptz + interval '1 year')`, [
      id,
      publicKey,
      now(),
    ]);
    await pool.query('insert into credential_signers values ($1, $2)', [
      id,
      { ...publicKey, d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A' },
    ]);
    const jwt = await issued(service, await award(service, 'Hero'));
    assert.equal(decodeProtectedHeader(jwt).kid, `did:web:badges.example.org#${id}`);
    await verifyByDid({ service, now }, jwt);
  });
});

describe('credentials issued without https', () => {
  it('are issued under the URL of the profile, with the URL of the key, and without a DID document', async () => {
    const { now } = clock();
    await using service = await startStoredService({ holdsWorld: true, now });
    const jwt = await issued(service, await award(service, 'Hero'));
    assert.match(decodeProtectedHeader(jwt).kid ?? '', new RegExp(`^${service.url}/v1/credential-keys/[\\w-]{43}$`));
    const { issuer } = await verifyByKid({ service, now }, jwt);
    assert.equal(Object(issuer).id, `${service.url}/v1/issuer`);
    const profile = JSON.parse((await service.get('/v1/issuer')).text) as object;
    assert.deepEqual(profile, { id: `${service.url}/v1/issuer`, type: ['Profile'], name: 'Plaudit', url: service.url });
    for (const path of ['/.well-known/did.json', '/did.json']) assert.equal((await service.get(path)).status, 404);
  });
});
