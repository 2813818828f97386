import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { listContributors } from '../../../simulators/world/expected-totals.ts';
import { toContributors } from '../../contract/service-responses.ts';
import { bearer, engines, serviceToken } from '../../integration/access/owner.ts';
import { untilIdle } from '../access/state.ts';
import { engine, organization, repositoryStates, startAppService, untilRepositoryIs } from './installed.ts';

describe('installed repositories', () => {
  it('collects installed repositories without a request, and shows private data to its owner alone', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    await using service = await startAppService(simulator);
    const { app, world } = simulator;
    const installation = app.install(organization(simulator), [
      engine(simulator, 'hidden-engine'),
      engine(simulator, 'engine-1'),
    ]);
    await untilRepositoryIs(service, 'hidden-engine', /^private installed collected$/);
    await untilRepositoryIs(service, 'engine-1', /^public installed collected$/);
    await untilRepositoryIs(service, 'engine-2', /^public collected$/);
    await untilIdle(service);
    const path = `${engines.name}/repositories/hidden-engine/contributors?limit=100`;
    const token = await serviceToken(service, simulator, engines);
    const ownerResponse = await service.get(path, bearer(token));
    assert.equal(ownerResponse.status, 200, ownerResponse.text);
    assert.ok(ownerResponse.body.data.length > 0);
    assert.equal((await service.get(`${engines.name}/contributors?repository=hidden-engine`)).status, 404);
    assert.equal((await service.get(path)).status, 401);
    const allContributors = await service.getComplete(`${engines.name}/contributors?limit=100`);
    assert.deepEqual(toContributors(allContributors.body.data), listContributors(world, engines.name));
    // The service uses the installation, with the full API, also for an account without one.
    const ada = await service.getComplete(`${simulator.accounts.user}/contributions`);
    assert.deepEqual(ada.body.meta_data.missing ?? [], []);
    const requests = simulator.requests.filter(({ name }) => /^[A-Z][a-z]/.test(name));
    assert.ok(requests.length > 0 && requests.every(({ token: by }) => by === `installation:${installation.id}`));
    assert.equal((await repositoryStates(service))['secret-plans'], undefined);
  });
});
