import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { setVisibility } from '../../../simulators/world/mutations.ts';
import { sumColumns } from '../../../src/model/kinds.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import { engine, organization, untilRepositoryIs } from '../../e2e/installations/installed.ts';
import type { TestService } from '../../e2e/service.ts';
import { startSteppedApp } from '../sync/stepped-service.ts';

const many = 100_000;

/** Starts a service that is installed on two repositories of an organization with some stored contributions more. */
async function startCollected(more: number) {
  await using stack = new AsyncDisposableStack();
  const simulator = stack.use(await startSimulator({ repositories: 2 }));
  const service = stack.use(await startSteppedApp(simulator));
  const { pool } = service.database;
  const repositories = [engine(simulator, 'engine-1'), engine(simulator, 'engine-2')];
  const installation = simulator.app.install(organization(simulator), repositories.slice(0, 1));
  await untilRepositoryIs(service, 'engine-1', /^public installed/);
  // Sums are appended, so these rows are as those of other repositories.
  await pool.query(
    `insert into owner_sums (owner_id, is_private, ${sumColumns.join(', ')})
     select owner_id, false, ${sumColumns.map((name) => (name === 'commits' ? '$1::integer' : '0')).join(', ')}
     from owner_sums where not is_private limit 1`,
    [more],
  );
  simulator.app.addRepositories(installation, repositories);
  await untilRepositoryIs(service, 'engine-2', /^public installed collected/);
  await untilIdle(service);
  const opened = stack.move();
  return { simulator, service, repositories, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Returns the ids of the complete public lists. */
async function findLists({ database }: TestService): Promise<string[]> {
  const { rows } = await database.pool.query<{ id: string }>(
    `select id from rankings where repository_id is null and not includes_private and ended_at is null
       and made_until is null`,
  );
  return rows.map(({ id }) => id);
}

describe('the list of contributors of a large owner', () => {
  it('is stored before the first request, and again after a repository is hidden', async () => {
    await using setting = await startCollected(many);
    const { simulator, service, repositories } = setting;
    const prepared = await findLists(service);
    assert.equal(prepared.length, 1);
    const path = `${organization(simulator).login}/contributors`;
    const first = await service.get(path);
    assert.equal(first.status, 200);
    assert.deepEqual(await findLists(service), prepared);

    setVisibility(simulator.world, repositories[0] ?? assert.fail(), 'private');
    await simulator.app.deliverer.idle();
    await untilRepositoryIs(service, 'engine-1', /^private/);
    await untilIdle(service);
    const again = await findLists(service);
    assert.equal(again.length, 1);
    assert.notDeepEqual(again, prepared);
    const second = await service.get(path);
    assert.notDeepEqual(second.body.data, first.body.data);
    assert.deepEqual(await findLists(service), again);
  });

  it('is not stored before the first request for a smaller owner', async () => {
    await using setting = await startCollected(0);
    assert.deepEqual(await findLists(setting.service), []);
  });
});
