import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeJwt, decodeProtectedHeader, importJWK, type JWK, jwtVerify } from 'jose';
import { ada, bearer, engines, sending, serviceToken } from '../../../integration/access/owner.ts';
import { clock, until } from '../../../time.ts';
import { startTestService } from '../../service.ts';
import { shareService } from '../../shared-service.ts';
import { award } from '../award.ts';
import { faultsOf } from './open-badge-schema.ts';

/** Verifies a credential as the standard requires: by the key at the URL that the header names. */
async function verify(jwt: string, now: Date): Promise<Record<string, unknown>> {
  const { kid = '', ...header } = decodeProtectedHeader(jwt);
  assert.deepEqual(header, { alg: 'EdDSA', typ: 'JWT' });
  const jwk = (await (await fetch(kid)).json()) as JWK;
  assert.ok(!('d' in jwk));
  const { payload } = await jwtVerify(jwt, await importJWK(jwk, 'EdDSA'), { currentDate: now });
  const { iss, sub, jti, nbf, ...credential } = payload;
  assert.deepEqual(faultsOf(credential), []);
  const { issuer, credentialSubject, id, validFrom } = credential as unknown as {
    issuer: { id: string };
    credentialSubject: { id: string };
    id: string;
    validFrom: string;
  };
  assert.deepEqual(
    [iss, sub, jti, nbf],
    [issuer.id, credentialSubject.id, id, Math.floor(Date.parse(validFrom) / 1000)],
  );
  const publishedIssuer = (await (await fetch(issuer.id)).json()) as object;
  assert.deepEqual(publishedIssuer, issuer);
  return credential;
}

const pathOf = (awardId: string): string => `${ada.name}/achievements/${awardId}/credential`;

describe('awards as credentials', () => {
  const { now, advance } = clock();
  const shared = shareService({ simulator: { now }, service: { now } });

  it('issues an award as an Open Badges 3.0 credential, with one key on two nodes, that verifies also years and keys later', async () => {
    const { simulator, service } = shared;
    await using other = await startTestService({ simulator, databaseUrl: service.databaseUrl, now });
    const awardId = await award(service, 'Merge hero');
    const responses = await Promise.all([service, other, service, other].map((node) => node.get(pathOf(awardId))));
    const keyIds = new Set(responses.map(({ text }) => decodeProtectedHeader(text).kid?.split('/').at(-1)));
    assert.equal(keyIds.size, 1, 'both nodes sign with one key');
    const response = await service.get(pathOf(awardId));
    assert.equal(response.status, 200, response.text);
    assert.equal(response.headers.get('content-type')?.split(';')[0], 'application/vc+jwt');
    const credential = await verify(response.text, now());
    assert.deepEqual(credential['credentialSubject'], {
      id: `${simulator.apiUrl}/users/${ada.name}`,
      type: ['AchievementSubject'],
      identifier: [
        { type: 'IdentityObject', hashed: false, identityHash: ada.name, identityType: 'userName' },
        {
          type: 'IdentityObject',
          hashed: false,
          identityHash: String(simulator.world.accountByLogin(ada.name)?.id),
          identityType: 'systemId',
        },
      ],
      achievement: {
        id: (credential['credentialSubject'] as { achievement: { id: string } }).achievement.id,
        type: ['Achievement'],
        achievementType: 'Achievement',
        name: 'Merge hero',
        description: 'Merge hero',
        criteria: {
          narrative:
            'What the achievements file of the repository Merge hero requires, evaluated by contributions to it.',
        },
        image: {
          id: service.service.providers
            .get('github')
            ?.files?.urlOf({ owner: engines.name, name: 'Merge hero', defaultBranch: '' }, 'icons/hero.png'),
          type: 'Image',
        },
      },
    });
    assert.equal(credential['validFrom'], '2026-03-01T10:20:30Z');
    assert.equal((await service.get(pathOf(awardId))).text, response.text, 'the same award, the same credential');

    advance(400 * 86_400);
    const later = await service.get(pathOf(awardId));
    const kids = [response, later].map(({ text }) => decodeProtectedHeader(text).kid);
    assert.notEqual(kids[0], kids[1], 'another key signs by then');
    await verify(response.text, now());
    await verify(later.text, now());
    const { keys } = JSON.parse((await service.get('/v1/credential-keys')).text) as { keys: JWK[] };
    assert.equal(keys.length, 2);
    const kept = await service.database.pool.query('select key_id from credential_signers');
    assert.equal(kept.rows.length, 1, 'what the former key signed with is forgotten');

    const forged = `${response.text.slice(0, -4)}AAAA`;
    await assert.rejects(verify(forged, now()));
  });

  it('refuses the credential of an award that a caller may not see, and reports an issued one as revoked', async () => {
    const { simulator, service } = shared;
    const open = await award(service, 'open');
    const secret = await award(service, 'secret', { isPrivate: true });
    const token = await serviceToken(service, simulator, ada);
    const others = await serviceToken(service, simulator, engines);
    const missing = await service.get(pathOf('00000000-0000-7000-8000-000000000000'));
    assert.equal(missing.status, 404);
    for (const init of [{}, bearer(others)]) {
      const refused = await service.get(pathOf(secret), init);
      assert.deepEqual([refused.status, refused.text], [404, missing.text]);
    }
    const own = await service.get(pathOf(secret), bearer(token));
    assert.deepEqual([own.status, own.headers.get('cache-control')], [200, 'private, no-store']);
    assert.deepEqual(faultsOf(decodeJwt(own.text)), []);
    await service.get(`${ada.name}/settings`, sending('PUT', token, { publish_private_contributions: true }));
    const published = await service.get(pathOf(secret));
    assert.equal(published.status, 200);
    const claims = JSON.stringify(decodeJwt(published.text));
    assert.ok(claims.includes('a private repository') && !claims.includes('repository secret'), claims);

    const issued = await service.get(pathOf(open));
    const { credentialStatus } = decodeJwt(issued.text) as { credentialStatus: { id: string } };
    const status = async (): Promise<unknown> =>
      ((await (await fetch(credentialStatus.id)).json()) as { revokedCredential: unknown }).revokedCredential;
    assert.deepEqual(await status(), []);
    await service.get(`${engines.name}/achievements/${open}`, sending('DELETE', others, { reason: 'by mistake' }));
    assert.deepEqual(await status(), [{ id: `urn:uuid:${open}`, revoked: true }]);
    assert.equal((await service.get(pathOf(open))).status, 404);
    await service.get(`${engines.name}/achievements/${open}`, sending('PUT', others));
    assert.deepEqual(await status(), []);

    const hideAtHost = (isHidden: boolean) =>
      service.database.pool.query('update accounts set hidden_by_host = $1 where name = $2', [isHidden, ada.name]);
    await hideAtHost(true);
    assert.equal((await service.get(pathOf(open))).status, 404);
    await hideAtHost(false);
    assert.equal((await service.get(pathOf(open))).status, 200);
    await service.get(`${ada.name}/settings`, sending('PUT', token, { hidden: true }));
    await until(async () => ((await service.get(pathOf(open))).status === 404 ? true : undefined), 'it is hidden');
    await service.get(ada.name, sending('DELETE', token));
    assert.deepEqual(await status(), [{ id: `urn:uuid:${open}`, revoked: true }]);
  });
});
