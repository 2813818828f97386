import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeProtectedHeader } from 'jose';
import type { TestService } from '../../../e2e/service.ts';
import { ada, bearer, engines, jsonRequest, serviceToken } from '../../../integration/access/owner.ts';
import { credentialInPng, credentialInSvg } from '../../../integration/achievements/credentials/unbake.ts';
import { clock } from '../../../time.ts';
import { shareStoredService, startStoredService } from '../../http/stored-service.ts';
import { award } from '../award.ts';
import { listFaults } from './open-badge-schema.ts';
import {
  assertTermsDefined,
  type Credential,
  fetchPublicly,
  isRevoked,
  publicUrl,
  verifyByDid,
  verifyByKid,
} from './verifiers.ts';

const toPath = (awardId: string): string => `${ada.name}/achievements/${awardId}/credential`;

/** Returns the bytes of a baked image. */
async function findBytes(service: TestService, path: string, init?: RequestInit): Promise<Buffer> {
  const response = await fetch(`${service.url}/v1/github/entities/${path}`, init);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('x-error-code'), null);
  return Buffer.from(await response.arrayBuffer());
}

describe('awards as credentials', () => {
  const { now } = clock();
  const shared = shareStoredService({
    simulator: { now },
    service: { now, settings: { PUBLIC_URL: publicUrl } },
  });
  const toVerifier = () => ({ service: shared.service, now });

  it('are JWTs with an ES256 signature and no further headers, of the type that Open Badges names', async () => {
    const { service } = shared;
    const response = await service.get(toPath(await award(service, 'Header')));
    assert.equal(response.status, 200, response.text);
    assert.equal(response.headers.get('content-type'), 'application/vc+jwt');
    const { kid = '', ...header } = decodeProtectedHeader(response.text);
    assert.deepEqual(header, { alg: 'ES256', typ: 'JWT' });
    assert.match(kid, /^did:web:badges\.example\.org#[\w-]{43}$/);
  });

  it('name the account by its immutable id at its host, show the login, and do not identify the person by it', async () => {
    const { service, simulator } = shared;
    const { text } = await service.get(toPath(await award(service, 'Merge hero')));
    const credential = await verifyByDid(toVerifier(), text);
    const { achievement, ...subject } = credential.credentialSubject;
    const externalId = String(simulator.world.accountByLogin(ada.name)?.id);
    const identity = (identityType: string, identityHash: string) => {
      return { type: 'IdentityObject', hashed: false, identityHash, identityType };
    };
    assert.deepEqual(subject, {
      id: `${simulator.apiUrl}/user/${externalId}`,
      type: ['AchievementSubject'],
      name: ada.name,
      identifier: [identity('accountId', externalId), identity('systemId', new URL(simulator.url).host)],
    });
    assert.equal((achievement as { name: string }).name, 'Merge hero');
    assert.equal(credential.validFrom, '2026-03-01T10:20:30Z');
  });

  it('follow the schema of Open Badges 3.0, and use no term that their contexts do not define', async () => {
    const { service } = shared;
    const { text } = await service.get(toPath(await award(service, 'Schema')));
    const credential = await verifyByDid(toVerifier(), text);
    assert.deepEqual(listFaults(credential), []);
    await assertTermsDefined(credential);
    await assert.rejects(assertTermsDefined({ ...credential, unknownProperty: 'x' }));
  });

  it('verify by two independent libraries, with the DID document and with the key that they name', async () => {
    const { service } = shared;
    const { text } = await service.get(toPath(await award(service, 'Libraries')));
    const credential = await verifyByDid(toVerifier(), text);
    assert.deepEqual(await verifyByKid(toVerifier(), text), credential);
    const [header = '', payload = '', signature = ''] = text.split('.');
    const altered = Buffer.from(payload, 'base64url').toString().replace(ada.name, engines.name);
    for (const forged of [
      `${header}.${Buffer.from(altered).toString('base64url')}.${signature}`,
      `${header}.${payload}.${'A'.repeat(86)}`,
    ]) {
      await assert.rejects(verifyByDid(toVerifier(), forged));
      await assert.rejects(verifyByKid(toVerifier(), forged));
    }
  });

  it('have an issuer whose profile and DID document name each other', async () => {
    const { service } = shared;
    const { text } = await service.get(toPath(await award(service, 'Issuer')));
    const { issuer } = (await verifyByDid(toVerifier(), text)) as Credential & { issuer: { id: string; url: string } };
    const profile = (await (await fetchPublicly({ service }, issuer.url)).json()) as {
      id: string;
      otherIdentifier: { identifier: string }[];
    };
    assert.equal(profile.id, `${publicUrl}/v1/issuer`);
    assert.equal(profile.otherIdentifier[0]?.identifier, issuer.id);
    const document = await fetchPublicly({ service }, `${publicUrl}/.well-known/did.json`);
    assert.equal(document.headers.get('access-control-allow-origin'), '*', 'resolvers in browsers may read it');
    assert.deepEqual(((await document.json()) as { alsoKnownAs: string[] }).alsoKnownAs, [profile.id]);
  });

  it('read as revoked in their status list once the award is revoked, also after it is restored', async () => {
    const { service, simulator } = shared;
    const owner = await serviceToken(service, simulator, engines);
    const id = await award(service, 'Revoked');
    const notRevoked = await verifyByDid(toVerifier(), (await service.get(toPath(await award(service, 'Kept')))).text);
    const issued = await verifyByDid(toVerifier(), (await service.get(toPath(id))).text);
    assert.deepEqual(
      [await isRevoked(toVerifier(), issued), await isRevoked(toVerifier(), notRevoked)],
      [false, false],
    );

    await service.get(`${engines.name}/achievements/${id}`, jsonRequest('DELETE', owner, { reason: 'by mistake' }));
    assert.equal((await service.get(toPath(id))).status, 404);
    assert.deepEqual([await isRevoked(toVerifier(), issued), await isRevoked(toVerifier(), notRevoked)], [true, false]);

    await service.get(`${engines.name}/achievements/${id}`, jsonRequest('PUT', owner));
    const reissued = await verifyByDid(toVerifier(), (await service.get(toPath(id))).text);
    assert.deepEqual([await isRevoked(toVerifier(), issued), await isRevoked(toVerifier(), reissued)], [true, false]);
  });

  it('leave the revocation list of credentials from earlier releases in service', async () => {
    const { service, simulator } = shared;
    const owner = await serviceToken(service, simulator, engines);
    const id = await award(service, 'Earlier');
    const revoked = async (): Promise<unknown> =>
      (JSON.parse((await service.get(`/v1/credentials/${id}/status`)).text) as { revokedCredential: unknown })
        .revokedCredential;
    assert.deepEqual(await revoked(), []);
    await service.get(`${engines.name}/achievements/${id}`, jsonRequest('DELETE', owner, { reason: 'by mistake' }));
    assert.deepEqual(await revoked(), [{ id: `urn:uuid:${id}`, revoked: true }]);
    await service.get(`${engines.name}/achievements/${id}`, jsonRequest('PUT', owner));
    assert.deepEqual(await revoked(), []);
  });

  for (const [format, contentType] of [
    ['svg', 'image/svg+xml; charset=utf-8'],
    ['png', 'image/png'],
  ] as const) {
    it(`are baked into the image of the award as ${format}, with the options of cards`, async () => {
      const { service } = shared;
      const path = toPath(await award(service, `Baked ${format}`));
      const response = await service.get(`${path}?format=${format}&style=raw&theme=dark`);
      assert.equal(response.headers.get('content-type'), contentType);
      assert.equal(response.headers.get('cross-origin-resource-policy'), 'cross-origin');
      const image = await findBytes(service, `${path}?format=${format}&style=raw&theme=dark`);
      const jwt = format === 'svg' ? credentialInSvg(image.toString()) : await credentialInPng(image);
      const baked = await verifyByKid(toVerifier(), jwt);
      assert.deepEqual(baked, await verifyByDid(toVerifier(), (await service.get(path)).text));
    });
  }

  it('draw a misspelled option of a baked image', async () => {
    const { service } = shared;
    const response = await service.get(`${toPath(await award(service, 'Misspelled'))}?format=svg&thme=dark`);
    assert.deepEqual([response.status, response.headers.get('x-error-code')], [200, '3']);
    assert.ok(response.text.includes('thme: did you mean theme?') && !response.text.includes('openbadges:credential'));
  });

  it('have one address: a former login leads to the present one', async () => {
    const { now: later } = clock();
    await using service = await startStoredService({ holdsWorld: true, now: later });
    const id = await award(service, 'Renamed');
    await service.database.pool.query(
      `with renamed as (update accounts set name = 'ada-king' where name = $1 returning id)
       insert into former_names (provider, name_key, account_id, left_at, check_after)
       select 'github', $1, id, now(), 'infinity' from renamed`,
      [ada.name],
    );
    const response = await service.get(`${toPath(id)}?format=svg`);
    assert.equal(response.status, 301);
    assert.equal(
      response.headers.get('location'),
      `/v1/github/entities/ada-king/achievements/${id}/credential?format=svg`,
    );
  });
});

describe('the credential of an award in a private repository', () => {
  const shared = shareStoredService({ service: { settings: { PUBLIC_URL: publicUrl } } });
  const forms = ['', '?format=svg', '?format=png'];

  it('is invisible to others in all forms, as if there were no such award', async () => {
    const { service, simulator } = shared;
    const secret = await award(service, 'Invisible', { isPrivate: true });
    const absent = '00000000-0000-7000-8000-000000000000';
    const others = await serviceToken(service, simulator, engines);
    for (const init of [{}, bearer(others)]) {
      for (const form of forms) {
        const [hidden, missing] = await Promise.all(
          [secret, absent].map(async (id) => {
            const { status, headers, text } = await service.get(`${toPath(id)}${form}`, init);
            const varying = new Set(['x-request-id', 'date', 'ratelimit-remaining', 'ratelimit-reset']);
            const compared = Object.fromEntries([...headers].filter(([header]) => !varying.has(header)));
            return { status, compared, text };
          }),
        );
        assert.deepEqual(hidden, missing, form);
        assert.equal(hidden?.status, form === '' || 'headers' in init ? 404 : 200);
        assert.ok(form === '' || 'headers' in init || hidden?.compared['x-error-code'] === '2');
        assert.ok(!hidden?.text.includes('openbadge'));
      }
    }
  });

  it('is served to its account in all forms, for no cache', async () => {
    const { service, simulator } = shared;
    const id = await award(service, 'Own', { isPrivate: true, hasAccess: true });
    const token = await serviceToken(service, simulator, ada);
    for (const form of forms) {
      const response = await service.get(`${toPath(id)}${form}`, bearer(token));
      assert.deepEqual([response.status, response.headers.get('cache-control')], [200, 'private, no-store'], form);
    }
    const svg = await findBytes(service, `${toPath(id)}?format=svg`, bearer(token));
    assert.ok(credentialInSvg(svg.toString()).split('.').length === 3);
  });

  it('is absent for its account too, unless the host confirms that the account may see the repository', async () => {
    const { service, simulator } = shared;
    const { pool } = service.database;
    const id = await award(service, 'Unconfirmed', { isPrivate: true, repository: 'unseen' });
    const token = await serviceToken(service, simulator, ada);
    const statuses = async (init: RequestInit) =>
      (await Promise.all(forms.map((form) => service.get(`${toPath(id)}${form}`, init)))).map(({ status }) => status);
    // No job runs here, as while the host is away.
    for (const checkedAt of ['now()', 'null', `now() - interval '24 hours'`]) {
      await pool.query(`update awards set access_checked_at = ${checkedAt}, has_access = ${checkedAt !== 'now()'}`);
      assert.deepEqual(await statuses(bearer(token)), [404, 404, 404], checkedAt);
      const { text } = await service.get(`${ada.name}/export`, bearer(token));
      assert.doesNotMatch(text, /Unconfirmed|unseen/, checkedAt);
    }
    await pool.query('update awards set access_checked_at = now(), has_access = true');
    assert.deepEqual(await statuses(bearer(token)), [200, 200, 200]);
  });

  it('names no private repository, once its owner publishes private contributions', async () => {
    const { service, simulator } = shared;
    const id = await award(service, 'Published', { isPrivate: true, hasAccess: true, repository: 'confidential' });
    const token = await serviceToken(service, simulator, ada);
    await service.get(`${ada.name}/settings`, jsonRequest('PUT', token, { publish_private_contributions: true }));
    const verifier = { service, now: () => new Date() };
    for (const form of forms) {
      const image = await findBytes(service, `${toPath(id)}${form}`);
      const jwt =
        form === ''
          ? image.toString()
          : form.endsWith('svg')
            ? credentialInSvg(image.toString())
            : await credentialInPng(image);
      const claims = JSON.stringify(await verifyByDid(verifier, jwt));
      assert.ok(claims.includes('a private repository') && !claims.includes('confidential'), claims);
    }
    await service.get(`${ada.name}/settings`, jsonRequest('PUT', token, { publish_private_contributions: false }));
  });

  it('is absent while its account is hidden, and revoked once the account is erased', async () => {
    const { service, simulator } = shared;
    const id = await award(service, 'Erased');
    const token = await serviceToken(service, simulator, ada);
    const verifier = { service, now: () => new Date() };
    const issued = await verifyByDid(verifier, (await service.get(toPath(id))).text);
    assert.equal(await isRevoked(verifier, issued), false);
    await service.get(`${ada.name}/settings`, jsonRequest('PUT', token, { hidden: true }));
    for (const form of forms) {
      const response = await service.get(`${toPath(id)}${form}`);
      assert.ok(response.status === 404 || response.headers.get('x-error-code') === '2', form);
    }
    await service.get(ada.name, jsonRequest('DELETE', token));
    assert.equal(await isRevoked(verifier, issued), true);
  });
});
