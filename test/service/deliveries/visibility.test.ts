import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { outbox, signed } from '../../../simulators/github/deliver.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { listContributors } from '../../../simulators/world/expected-totals.ts';
import { renameAccount, setVisibility } from '../../../simulators/world/mutations.ts';
import { toContributors } from '../../contract/service-responses.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import { deliver, settings, untilResponsesMatchWorld } from '../../e2e/deliveries/delivering.ts';
import { bearer, engines, serviceToken } from '../../integration/access/owner.ts';
import { until } from '../../time.ts';
import { startSteppedService } from '../sync/stepped-service.ts';

describe('application of deliveries about visibility', () => {
  it('hides a repository that becomes private before any request to GitHub, and follows renames and removals', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    await using service = await startSteppedService({ simulator, settings, tokens: ['organization_admin'] });
    const { world } = simulator;
    const token = await serviceToken(service, simulator, engines);
    await service.getComplete(`${engines.name}/contributors`, bearer(token));
    await untilIdle(service);
    const repository = world.repository(engines.name, 'engine-2') ?? assert.fail();
    const sent = outbox(simulator);
    setVisibility(world, repository, 'private');
    simulator.faults.add({ kind: 'unavailable', times: 1_000_000 });
    for (const delivery of sent.splice(0)) await deliver(service, delivery);
    await until(async () => {
      const { body } = await service.get(`${engines.name}/contributors?limit=100`);
      return JSON.stringify(toContributors(body.data)) === JSON.stringify(listContributors(world, engines.name))
        ? true
        : undefined;
    }, 'it is hidden while GitHub is away');
    simulator.faults.clear();
    setVisibility(world, repository, 'public');
    for (const delivery of sent.splice(0)) await deliver(service, delivery);
    await untilResponsesMatchWorld(service, simulator, 'the repository is public again');

    const owner = world.accountById(repository.ownerId) ?? assert.fail();
    const removed = {
      action: 'removed',
      installation: { id: 1, account: { id: owner.id, login: owner.login } },
      repositories_removed: [{ id: world.repository(engines.name, 'hidden-engine')?.id }, { id: repository.id }],
    };
    simulator.faults.add({ kind: 'unavailable', times: 1_000_000 });
    await deliver(service, signed('installation_repositories', JSON.stringify(removed)));
    await until(async () => {
      const { body } = await service.get(`${engines.name}/repositories?limit=100`, bearer(token));
      const isShown = (repository: string): boolean => body.data.some(({ name }) => name === repository);
      return !isShown('hidden-engine') && isShown('engine-2') ? true : undefined;
    }, 'private repositories that are no longer installed are hidden, and public ones stay');
    simulator.faults.clear();

    renameAccount(world, owner, 'engines-renamed');
    for (const delivery of sent.splice(0)) await deliver(service, delivery);
    await until(async () => {
      const { status } = await service.get(`${engines.name}/contributors`);
      return status === 301 ? true : undefined;
    }, 'the old name leads to the new one');
  });
});
