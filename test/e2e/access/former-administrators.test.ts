import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { addMember, removeMember } from '../../../simulators/world/repository-changes.ts';
import { fromOwnAddress } from '../../integration/access/owner.ts';
import { createKey, embed, findAudit, person, settings } from '../../service/access/former-administrators.ts';
import { clock, until } from '../../time.ts';
import { appSettings, organization, reconcileNow, secret } from '../installations/installed.ts';
import { startTestService } from '../service.ts';
import { untilIdle } from './state.ts';

describe('revocation of keys and embed links of former administrators', () => {
  it('ends them on every node when a delivery leads to the check that finds the person removed', async () => {
    const time = clock();
    await using simulator = await startSimulator({ now: time.now, repositories: 1 });
    addMember(simulator.world, organization(simulator), person(simulator, 'olive'), 'admin');
    addMember(simulator.world, organization(simulator), person(simulator, 'max'), 'admin');
    const app = { simulator, tokens: [], now: time.now };
    const own = { ...settings, ...appSettings(simulator) };
    await using service = await startTestService({ ...app, settings: own });
    const { databaseUrl } = service;
    await using receiving = await startTestService({
      ...app,
      databaseUrl,
      settings: { ...own, PUBLIC_URL: service.url },
    });
    const fixture = { simulator, service, time };
    simulator.app.deliverTo(receiving.url, secret);
    simulator.app.install(organization(simulator));
    await reconcileNow(receiving);
    await untilIdle(service);
    const key = createKey(fixture);
    await key.register('olive');
    const link = await embed(key.request);
    for (const node of [service, receiving]) {
      assert.equal((await key.request('/audit', 'GET', undefined, node)).status, 200);
      assert.notEqual((await node.get(link.path, fromOwnAddress({}))).status, 404);
    }
    removeMember(simulator.world, organization(simulator), person(simulator, 'olive'));
    for (const node of [service, receiving]) {
      await until(async () => {
        const { status } = await key.request('/audit', 'GET', undefined, node);
        return status === 401 ? true : undefined;
      }, 'the key has ended');
      assert.equal((await node.get(link.path, fromOwnAddress({}))).status, 404);
    }
    assert.deepEqual((await findAudit(fixture)).slice(-2), ['key_ended service', 'embed_ended service']);
  });
});
