import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { listContributors, toCounters } from '../../../simulators/world/expected-totals.ts';
import { deleteRepository, setVisibility } from '../../../simulators/world/mutations.ts';
import { toContributors } from '../../contract/service-responses.ts';
import { isThorough } from '../../depth.ts';
import { untilIdle, untilListedAgain } from '../../e2e/access/state.ts';
import type { TestService } from '../../e2e/service.ts';
import { bearer, engines, keeper, serviceToken } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { startSteppedService } from '../sync/stepped-service.ts';

const hourS = 3600;

/** Lets the service fetch the present state from the provider. */
async function fetchAgain(service: TestService, time: ReturnType<typeof clock>, path: string): Promise<void> {
  await untilIdle(service);
  time.advance(hourS + 60);
  await untilListedAgain(service, path, time.now());
}

describe('changes of visibility', () => {
  it('shows a repository to all when it becomes public, and only to its owner when it becomes private', async () => {
    const time = clock();
    const { now } = time;
    await using simulator = await startSimulator({ now, repositories: 1 });
    const { world } = simulator;
    await using service = await startSteppedService({
      simulator,
      now,
      tokens: ['organization_admin'],
      settings: { TOKEN_TTL_S: '86400' },
    });
    const hidden = world.repository(engines.name, 'hidden-engine') ?? assert.fail();
    const token = await serviceToken(service, simulator, engines);
    const list = `${engines.name}/contributors?limit=100`;
    const numbers = `${engines.name}/contributions`;
    const assertMatchesWorld = async (): Promise<void> => {
      const { body } = await service.getComplete(list);
      assert.deepEqual(toContributors(body.data), listContributors(world, engines.name));
      const counted = await service.getComplete(numbers);
      assert.deepEqual(counted.body.data[0]?.['contributions'], toCounters(world, engines.name));
      const ofRepository = await service.get(`${engines.name}/contributors?repository=hidden-engine`);
      assert.equal(ofRepository.status, hidden.visibility === 'public' ? 200 : 404);
      const owned = await service.get(`${engines.name}/repositories?limit=100`, bearer(token));
      const row = owned.body.data.find(({ name }) => name === 'hidden-engine');
      assert.deepEqual([row?.['private'], row?.['deleted']], [hidden.visibility === 'private', false]);
    };
    await service.getComplete(list, bearer(token));
    await assertMatchesWorld();
    const changes = ['public', 'private'] as const;
    for (const visibility of isThorough ? [...changes, ...changes] : changes) {
      const small = await service.get(`${engines.name}/contributors?limit=2`);
      setVisibility(world, hidden, visibility);
      await fetchAgain(service, time, list);
      await assertMatchesWorld();
      // An old cursor is refused, because a page of the former list may show a repository that is private now.
      const cursor = encodeURIComponent(small.body.next_cursor ?? '');
      const old = await service.get(`${engines.name}/contributors?limit=2&after=${cursor}`);
      assert.deepEqual([old.status, old.body.error?.code], [400, 3]);
    }
  });

  it('omits a deleted private repository, even for its owner, and lists a deleted public one as deleted', async () => {
    const time = clock();
    const { now } = time;
    await using simulator = await startSimulator({ now, repositories: 1 });
    const { world } = simulator;
    await using service = await startSteppedService({ simulator, now, tokens: ['private_owner'] });
    const path = `${keeper.name}/contributors?limit=100`;
    const token = await serviceToken(service, simulator, keeper);
    await service.getComplete(path, bearer(token));
    deleteRepository(world, world.repository(keeper.name, 'diary') ?? assert.fail());
    deleteRepository(world, world.repository(keeper.name, 'open-diary') ?? assert.fail());
    await fetchAgain(service, time, path);
    const fresh = await serviceToken(service, simulator, keeper);
    const { body } = await service.get(`${keeper.name}/repositories`, bearer(fresh));
    assert.deepEqual(body.data.map(({ name, deleted }) => `${String(name)} ${String(deleted)}`).toSorted(), [
      'open-diary true',
      'vault false',
    ]);
    const ofRepository = await service.get(`${keeper.name}/repositories/diary/contributors`, bearer(fresh));
    assert.equal(ofRepository.status, 404);
  });

  it('stops serving data of a credential that the operator takes away or the host does not accept any more', async () => {
    for (const take of ['configuration', 'provider'] as const) {
      const time = clock();
      const { now } = time;
      await using simulator = await startSimulator({ now, repositories: 1 });
      const { world } = simulator;
      await using services = new AsyncDisposableStack();
      const first = services.use(
        await startSteppedService({ simulator, now, tokens: ['private_owner', 'public_only'] }),
      );
      const token = await serviceToken(first, simulator, keeper);
      const numbers = `${keeper.name}/contributions?private=true`;
      const before = await first.getComplete(numbers, bearer(token));
      assert.notDeepEqual(before.body.data[0]?.['contributions'], toCounters(world, keeper.name));
      await first.getComplete(`${keeper.name}/contributors`, bearer(token));
      await untilIdle(first);

      let service = first;
      if (take === 'provider') {
        simulator.faults.add({ kind: 'bad_credentials', token: 'private_owner', times: 1_000_000 });
        await fetchAgain(first, time, `${keeper.name}/contributors`);
        // The service does not use the refused token for a while, but its owner can prove the ownership with it.
        simulator.faults.clear();
      } else {
        await first.service.close();
        const settings = { PUBLIC_URL: first.url };
        const { databaseUrl } = first;
        service = services.use(
          await startSteppedService({ simulator, now, tokens: ['public_only'], databaseUrl, settings }),
        );
      }
      const fresh = await serviceToken(service, simulator, keeper);
      const { body } = await service.get(`${keeper.name}/repositories`, bearer(fresh));
      assert.deepEqual(
        body.data.map(({ name }) => name),
        ['open-diary'],
      );
      for (const name of ['diary', 'vault']) {
        const ofRepository = await service.get(`${keeper.name}/repositories/${name}/contributors`, bearer(fresh));
        assert.notEqual(ofRepository.status, 200, name);
      }
      const all = await service.get(`${keeper.name}/contributors?limit=100`, bearer(fresh));
      assert.deepEqual(toContributors(all.body.data), listContributors(world, keeper.name));
      const after = await service.get(`${numbers}&limit=5`, bearer(fresh));
      for (const day of after.body.data) assert.deepEqual(day['contributions'], toCounters(world, keeper.name));
      const { rows } = await service.database.pool.query<{ count: number }>(
        'select count(*) as count from repositories where is_private and deleted_at is null',
      );
      assert.equal(rows[0]?.count, 0);
    }
  });
});
