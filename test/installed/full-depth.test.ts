import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../access/owner.ts';
import { settled } from '../access/state.ts';
import { startSimulator } from '../github/simulator.ts';
import { startTestService } from '../service.ts';
import { storedItems } from './stored-items.ts';
import { worldItems } from './world-items.ts';

test('an installed repository is known by everything that there is', async () => {
  await using simulator = await startSimulator({ repositories: 3 });
  await using service = await startTestService({ simulator });
  const { pool } = service.database;
  await service.getComplete(`${engines.name}/contributors`);
  await settled(service);
  await pool.query('update repositories set installed_at = now()');
  await pool.query("select graphile_worker.add_job('poll_due')");
  await settled(service);
  const owner = simulator.world.accountByLogin(engines.name) ?? assert.fail();
  for (const repository of simulator.world.owned(owner).filter(({ visibility }) => visibility === 'public')) {
    assert.deepEqual(await storedItems(pool, repository.id), worldItems(simulator.world, repository), repository.name);
  }
});
