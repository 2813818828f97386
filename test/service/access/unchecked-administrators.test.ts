import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import type { ServiceResponse } from '../../e2e/service.ts';
import { bearer, engines, jsonRequest, serviceToken } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { startStoredService, storedRepositories } from '../http/stored-service.ts';
import { checkNow, createKey, embed, openFixture, settings } from './former-administrators.ts';
import { findOwner, ownerWrites } from './owner-writes.ts';

/** Requests that the code host confirms by themselves, or that only end the right of their sender. */
const withoutDoubt = new Set(['registerKey', 'issueToken', 'revokeToken']);

/** A service that no credential lets check the administrators of the organization. */
async function openUnchecked() {
  const stack = new AsyncDisposableStack();
  const time = clock();
  const simulator = stack.use(await startSimulator({ now: time.now, repositories: storedRepositories }));
  const options = { tokens: ['public_only' as const], settings: { ...settings, TOKEN_TTL_S: '86400' } };
  const service = stack.use(await startStoredService({ simulator, holdsWorld: true, now: time.now, ...options }));
  return { simulator, service, time, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

function assertNeedsProof(response: ServiceResponse): void {
  assert.equal(response.status, 403, response.text);
  assert.equal(response.body.error?.type, 'forbidden');
  assert.match(response.body.error?.message ?? '', /^Nothing can check whether github\/olive-admin still administers/);
  assert.match(response.body.error?.message ?? '', /a proof of the last hour\. Sign in again, or request a new token/);
}

describe('administrators whom nothing can check', () => {
  for (const [operationId, { prepare }] of Object.entries(ownerWrites).filter(([id]) => !withoutDoubt.has(id))) {
    it(`need a proof of the last hour for ${operationId}`, async () => {
      await using fixture = await openUnchecked();
      const { simulator, service, time } = fixture;
      const request = await prepare(await findOwner(service, simulator));
      time.advance(2 * 3600);
      assertNeedsProof(await request());
      await findOwner(service, simulator);
      const { status, text } = await request();
      assert.ok(status < 300, text);
    });
  }

  it('keep reading, and may end their own token, without another proof', async () => {
    await using fixture = await openUnchecked();
    const { simulator, service, time } = fixture;
    const owner = await findOwner(service, simulator);
    const link = await embed((path, method, body) => owner.send(method, path, body));
    const request = await ownerWrites['revokeToken']?.prepare(owner);
    time.advance(2 * 3600);
    for (const path of ['/settings', '/audit', '/status', '/keys', '/embeds', '/repositories'])
      assert.equal((await owner.send('GET', path)).status, 200, path);
    assert.equal((await service.get(link.path)).status, 200);
    assert.equal((await request?.())?.status, 204);
  });

  it('need the proof for tokens that their key signs, also while the host fails', async () => {
    await using fixture = await openUnchecked();
    const { simulator, service, time } = fixture;
    const key = createKey(fixture);
    await key.register('olive');
    assert.equal((await key.request('/settings', 'PUT', { hidden: false })).status, 200);
    time.advance(2 * 3600);
    const change = () => key.request('/settings', 'PUT', { publish_private_contributions: true });
    assertNeedsProof(await change());
    simulator.faults.add({ kind: 'bad_gateway', on: 'GET /user/memberships', times: 1000 });
    assertNeedsProof(await change());
    assertNeedsProof(
      await key.request('/embeds', 'POST', { path: `/v1/github/entities/${engines.name}`, format: 'svg' }),
    );
    assert.equal((await key.request('/settings')).status, 200);
    simulator.faults.clear();
    await serviceToken(service, simulator, engines);
    assert.equal((await change()).status, 200);
  });

  it('need the proof, too, where it is not known who registered the key', async () => {
    await using fixture = await openUnchecked();
    const { service } = fixture;
    const key = createKey(fixture);
    await key.register('olive');
    await service.database.pool.query('update owner_keys set holder = null, holder_name = null');
    const { status, body } = await key.request('/export');
    assert.equal(status, 403);
    assert.match(body.error?.message ?? '', /^Nothing can check whether the person behind this token/);
    assert.equal((await key.request('/audit')).status, 200);
  });

  it('are not owners of their own account, nor those whom the host confirmed today', async () => {
    await using unchecked = await openUnchecked();
    const owner = { name: 'secret-keeper', token: 'private_owner' } as const;
    const token = await serviceToken(unchecked.service, unchecked.simulator, owner);
    unchecked.time.advance(2 * 3600);
    const changed = await unchecked.service.get('secret-keeper/settings', jsonRequest('PUT', token, { hidden: false }));
    assert.equal(changed.status, 200);
    assert.equal((await unchecked.service.get('secret-keeper/export', bearer(token))).status, 200);
    await using checked = await openFixture();
    const key = createKey(checked);
    await key.register('olive');
    await checkNow(checked);
    checked.time.advance(2 * 3600);
    await embed(key.request);
    assert.equal((await key.request('/export')).status, 200);
  });
});
