import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settled } from '../access/state.ts';
import { startSimulator } from '../github/simulator.ts';
import { engine, organization, startAppService, untilShown } from '../installations/installed.ts';
import { storedItems } from './stored-items.ts';
import { worldItems } from './world-items.ts';

test('an installed repository is known by everything that there is, with what is private', async () => {
  await using simulator = await startSimulator({ repositories: 3 });
  await using service = await startAppService(simulator);
  const { world } = simulator;
  simulator.app.install(organization(simulator));
  await untilShown(service, 'hidden-engine', /collected/);
  await settled(service);
  assert.ok(engine(simulator, 'engine-1').issues.some(({ comments }) => comments.length > 0));
  for (const repository of world.owned(organization(simulator))) {
    const stored = await storedItems(service.database.pool, repository.id);
    assert.deepEqual(stored, worldItems(world, repository), repository.name);
  }
});
