import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LoggedRequest } from '../../../simulators/github/api.ts';
import { type Simulator, startSimulator } from '../../../simulators/github/simulator.ts';
import { addCommit, addRepository } from '../../../simulators/world/activity.ts';
import type { Repository } from '../../../simulators/world/model.ts';
import { deleteRepository, forcePush } from '../../../simulators/world/mutations.ts';
import { addAccount } from '../../../simulators/world/people.ts';
import { recountRepository } from '../../../src/contributions/recount-store.ts';
import { inTransaction } from '../../../src/database/transaction.ts';
import { untilCounted } from '../../contract/served.ts';
import { type ContractWorld, createContractWorld } from '../../contract/world.ts';
import { engines } from '../../integration/access/owner.ts';
import { untilIdle } from '../access/state.ts';
import { startTestService, type TestService } from '../service.ts';

interface Scene extends ContractWorld {
  simulator: Simulator;
  service: TestService;
  tools: Repository;
}

const yan = { name: 'Yan', email: 'yan@forge.test' };
const olive = { name: 'Olive', email: 'olive-admin@mail.example' };

/**
 * Runs a service on a world with one more person and one more repository. @param onLookup called for each query for
 * authors.
 */
async function inService(
  check: (scene: Scene) => Promise<void>,
  onLookup: (scene: Omit<Scene, 'simulator' | 'service'>) => void = () => {},
): Promise<void> {
  const contract = createContractWorld();
  const { world, now, organization } = contract;
  addAccount(world, { login: 'yan', createdAt: now(), emails: [yan.email] });
  const tools = addRepository(world, { ownerId: organization.id, name: 'tools', createdAt: now() });
  const onRequest = ({ name }: LoggedRequest): void => {
    if (name === 'CommitAuthors') onLookup({ ...contract, tools });
  };
  await using simulator = await startSimulator({ world, now, onRequest });
  await using service = await startTestService({ simulator, now });
  await check({ ...contract, tools, simulator, service });
}

async function readAgain(scene: Scene): Promise<void> {
  scene.advance(3601);
  await untilCounted(scene, { name: engines.name, path: engines.name }, 'everything is counted again');
  await untilIdle(scene.service);
}

const lookupsIn = ({ simulator }: Scene): number =>
  simulator.requests.filter(({ name }) => name === 'CommitAuthors').length;

describe('authors of commits at GitHub', () => {
  it('finds a co-author on GitHub whom no list of authors showed, when the address authors commits', async () => {
    await inService(async (scene) => {
      const { world, tools, service } = scene;
      // The service requests 50 authors of a commit from GitHub.
      const crowd = Array.from({ length: 60 }, (_, index) => ({
        name: 'C',
        email: `crowd-${index}@elsewhere.example`,
      }));
      addCommit(world, tools, { author: olive, coAuthors: [...crowd, yan] });
      await service.getComplete(`${engines.name}/contributors`);
      await untilIdle(service);
      for (let count = 0; count < 5; count += 1) addCommit(world, tools, { author: yan });
      await readAgain(scene);
    });
  });

  it('finds a co-author on GitHub who had no account before the address authors commits', async () => {
    await inService(async (scene) => {
      const { world, tools } = scene;
      const account = world.accountByEmail(yan.email) ?? assert.fail();
      account.emails = [];
      world.changed();
      addCommit(world, tools, { author: olive, coAuthors: [yan] });
      await untilCounted(scene, { name: engines.name, path: engines.name }, 'the co-author has no account');
      await untilIdle(scene.service);
      account.emails = [yan.email];
      addCommit(world, tools, { author: yan });
      await readAgain(scene);
    });
  });

  it('finds authors on GitHub after a force push during the read', async () => {
    let isPushed = false;
    await inService(
      async (scene) => {
        const { world, tools, service } = scene;
        for (const author of [olive, yan, yan]) addCommit(world, tools, { author });
        await service.getComplete(`${engines.name}/contributors`);
        await untilIdle(service);
        await readAgain(scene);
        assert.ok(isPushed);
      },
      ({ world, tools }) => {
        if (!isPushed) forcePush(world, tools, 3, [olive.email, yan.email]);
        isPushed = true;
      },
    );
  });

  it('finds authors on GitHub in other repositories after the one that was read is deleted', async () => {
    await inService(
      async (scene) => {
        const { world, tools, repositories, service } = scene;
        repositories.handbook.commits.splice(0);
        const people = Array.from({ length: 15 }, (_, index) =>
          addAccount(world, { login: `real-${index}`, createdAt: scene.now(), emails: [`real-${index}@mail.example`] }),
        );
        for (const { login, emails } of people) {
          addCommit(world, tools, { author: { name: login, email: emails[0] ?? '' } });
        }
        await service.getComplete(`${engines.name}/contributors`);
        await untilIdle(service);
        for (const { login, emails } of people) {
          addCommit(world, repositories.handbook, { author: { name: login, email: emails[0] ?? '' } });
        }
        await readAgain(scene);
      },
      ({ world, tools }) => {
        if (world.repositories.includes(tools) && tools.commits.length > 0) deleteRepository(world, tools);
      },
    );
  });

  it('repairs addresses on GitHub that an earlier release stored without an account, without a new push', async () => {
    await inService(async (scene) => {
      const { world, tools, service } = scene;
      for (let count = 0; count < 3; count += 1) addCommit(world, tools, { author: yan, coAuthors: [olive] });
      await untilCounted(scene, { name: engines.name, path: engines.name }, 'everything is counted');
      await untilIdle(service);
      const { connection, pool } = service.database;
      // The migration leaves such addresses in this state, with totals that lack their commits.
      await pool.query('update identities set account_id = null, resolved_at = null');
      await pool.query('update repository_identities set attempts = 2, retry_at = $1', [
        new Date('2026-01-01T00:00:00Z'),
      ]);
      await pool.query("update streams set invalidated_at = known_until where name = 'commits'");
      const { rows } = await pool.query<{ id: string }>('select id from repositories');
      for (const { id } of rows) await inTransaction(connection, (one) => recountRepository(one, id));
      const { rows: before } = await pool.query('select 1 from contributor_totals where commits > 0');
      assert.deepEqual(before, []);
      await readAgain(scene);
    });
  });

  it('looks up unknown addresses on GitHub at growing intervals', async () => {
    await inService(async (scene) => {
      const { world, tools, service } = scene;
      const crowd = Array.from({ length: 40 }, (_, index) => ({
        name: 'C',
        email: `crowd-${index}@elsewhere.example`,
      }));
      addCommit(world, tools, { author: olive, coAuthors: crowd });
      await service.getComplete(`${engines.name}/contributors`);
      await untilIdle(service);
      const counts: number[] = [];
      for (let read = 0; read < 5; read += 1) {
        const before = lookupsIn(scene);
        addCommit(world, tools, { author: olive });
        scene.advance(12 * 3600);
        await untilCounted(scene, { name: engines.name, path: engines.name }, 'the new commit counts');
        await untilIdle(service);
        counts.push(lookupsIn(scene) - before);
      }
      // The second lookup comes with the next read, the third a day later, the fourth after two days.
      assert.deepEqual(counts, [1, 0, 1, 0, 0]);
    });
  });
});
