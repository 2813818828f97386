import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { addCommit, addRepository } from '../../../simulators/world/activity.ts';
import { contributorsOf } from '../../../simulators/world/expected-totals.ts';
import type { Account, Repository } from '../../../simulators/world/model.ts';
import { deleteRepository, forcePush } from '../../../simulators/world/mutations.ts';
import { addAccount } from '../../../simulators/world/people.ts';
import { listed } from '../../contract/served.ts';
import { until } from '../../time.ts';
import { untilIdle } from '../access/state.ts';
import { runTask } from '../installations/installed.ts';
import { addOrganization, entity, openScene, type Scene, untilTrue } from './scene.ts';

const olive = { name: 'Olive', email: 'olive-admin@mail.example' };

/** An organization with one repository, and a person, which only one test uses. */
interface Place {
  owner: Account;
  tools: Repository;
  yan: Account;
  /** Signs the person's commits. */
  signature: { name: string; email: string };
  path: string;
}

function addPlace(scene: Scene): Place {
  const { world, now } = scene;
  const owner = addOrganization(scene);
  const login = `yan-${owner.id}`;
  const email = `${login}@forge.test`;
  return {
    owner,
    tools: addRepository(world, { ownerId: owner.id, name: 'tools', createdAt: now() }),
    yan: addAccount(world, { login, createdAt: now(), emails: [email] }),
    signature: { name: 'Yan', email },
    path: `${entity(owner.login)}/contributors`,
  };
}

/** Adds a second repository to the organization. */
function addLooms({ world, now }: Scene, { owner }: Place): Repository {
  return addRepository(world, { ownerId: owner.id, name: 'looms', createdAt: now() });
}

/** Returns how often the service has listed commits of a repository to find authors. */
function lookupsIn({ simulator }: Scene, { owner }: Place): number {
  return simulator.requests.filter((request) => request.includes(`/${owner.login}/tools/commits?sha=`)).length;
}

/** Reads everything of the organization again. */
async function readAgain(scene: Scene, { owner }: Place): Promise<void> {
  scene.advance(3601);
  await untilTrue(scene, 'everything is counted again', owner.login);
  await untilIdle(scene.service);
}

describe('authors of commits at Gitea', () => {
  let scene: Scene & AsyncDisposable;
  before(async () => {
    scene = await openScene();
  });
  // The scene is missing when it could not be set up.
  after(() => scene?.[Symbol.asyncDispose]());
  afterEach(() => {
    scene.simulator.overrides.length = 0;
    scene.simulator.pauses.length = 0;
  });

  it('finds the account of a co-author who authors the next commits', async () => {
    const { world, service } = scene;
    const place = addPlace(scene);
    const { tools, signature: yan } = place;
    addCommit(world, tools, { author: olive, coAuthors: [yan] });
    await service.getComplete(place.path);
    await untilIdle(service);
    for (let count = 0; count < 5; count += 1) addCommit(world, tools, { author: yan });
    await readAgain(scene, place);
    const { body } = await service.getComplete(`${place.path}?repository=tools`);
    assert.deepEqual(listed(body.data), [
      { login: place.yan.login, contributions: 6 },
      { login: 'olive-admin', contributions: 1 },
    ]);
  });

  it('finds an author although the newest and the oldest commits name the address as co-author', async () => {
    const { world } = scene;
    const place = addPlace(scene);
    const { tools, signature: yan } = place;
    addCommit(world, tools, { author: olive, coAuthors: [yan] });
    addCommit(world, tools, { author: yan });
    // The number of commits is larger than a page of the host.
    for (let count = 0; count < 8; count += 1) addCommit(world, tools, { author: olive });
    addCommit(world, tools, { author: olive, coAuthors: [yan] });
    await untilTrue(scene, 'the co-author has the commits', place.owner.login);
    assert.deepEqual(contributorsOf(world, place.owner.login, { repository: 'tools' }).at(-1), {
      login: place.yan.login,
      contributions: 3,
    });
  });

  for (const status of [404, 500]) {
    it(`finds authors after a force push during a read when the response to lost commits is ${status}`, async () => {
      const { world, simulator } = scene;
      const place = addPlace(scene);
      const { tools, signature: yan } = place;
      for (const author of [olive, yan, yan]) addCommit(world, tools, { author });
      let lost: string | undefined;
      simulator.overrides.push((path) => {
        if (!path.includes('/tools/commits?sha=')) return undefined;
        if (lost === undefined) {
          lost = tools.commits.at(-1)?.oid;
          forcePush(world, tools, 3, [olive.email, yan.email]);
        }
        // Gitea before 1.23: https://github.com/go-gitea/gitea/issues/31976.
        const isLost = path.includes(`sha=${lost}`) && status === 500;
        return isLost ? { status, body: { message: 'object does not exist', url: '' } } : undefined;
      });
      await scene.service.getComplete(place.path);
      await untilIdle(scene.service);
      await readAgain(scene, place);
      assert.ok(lost !== undefined);
    });
  }

  it('finds authors in other repositories when a repository is deleted during its read', async () => {
    const { world, simulator } = scene;
    const place = addPlace(scene);
    const { tools, signature: yan } = place;
    addCommit(world, tools, { author: yan });
    addCommit(world, addLooms(scene, place), { author: yan });
    simulator.overrides.push((path) => {
      if (path.includes('/tools/commits?sha=') && world.repositories.includes(tools)) deleteRepository(world, tools);
      return undefined;
    });
    await scene.service.getComplete(place.path);
    await readAgain(scene, place);
  });

  for (const order of [
    [true, false],
    [false, true],
  ]) {
    it(`keeps the account of ${order[0] ? 'the first' : 'the second'} of two overlapping responses`, async () => {
      const { world, simulator, service } = scene;
      const place = addPlace(scene);
      const { yan: account, signature: yan } = place;
      for (const repository of [place.tools, addLooms(scene, place)]) addCommit(world, repository, { author: yan });
      const bothRequested = Promise.withResolvers<undefined>();
      let requestCount = 0;
      simulator.pauses.push(async (path) => {
        if (!/\/(?:tools|looms)\/commits\?sha=/.test(path)) return;
        const turn = requestCount;
        requestCount += 1;
        if (turn === 1) {
          bothRequested.resolve(undefined);
          await until(async () => {
            const query = 'select 1 from identities where email = $1 and resolved_at is not null';
            const { rows } = await service.database.pool.query(query, [yan.email]);
            return rows.length > 0 ? true : undefined;
          }, 'the first response is stored');
        }
        await bothRequested.promise;
        // The address is added to the account, or removed from it, in between.
        account.emails = order[turn] ? [yan.email] : [];
        world.changed();
      });
      await service.getComplete(place.path);
      await untilIdle(service);
      assert.equal(requestCount, 2);
      account.emails = [yan.email];
      world.changed();
      await runTask(service.database, 'clean_up');
      await readAgain(scene, place);
    });
  }

  it('looks up some lost accounts in each read until all are found, also without a push', async () => {
    const { world, service, now } = scene;
    const place = addPlace(scene);
    const { tools } = place;
    for (let count = 0; count < 50; count += 1) {
      const email = `real-${count}@mail.example`;
      addAccount(world, { login: `real-${count}`, createdAt: now(), emails: [email] });
      addCommit(world, tools, { author: { name: 'Real', email } });
    }
    await untilTrue(scene, 'everything is counted', place.owner.login);
    await untilIdle(service);
    const { pool } = service.database;
    await pool.query("update identities set account_id = null, resolved_at = null where email like 'real-%'");
    await pool.query('update repository_identities set attempts = 2, retry_at = $1', [
      new Date('2026-01-01T00:00:00Z'),
    ]);
    await pool.query("update streams set invalidated_at = known_until where name = 'commits'");
    const found: number[] = [];
    for (let read = 0; read < 2; read += 1) {
      scene.advance(3601);
      await until(async () => {
        await service.get(place.path);
        const { rows } = await pool.query('select 1 from accounts where name = $1 and listed_at >= $2', [
          place.owner.login,
          now(),
        ]);
        return rows.length > 0 ? true : undefined;
      }, 'the repositories are listed again');
      await untilIdle(service);
      const { rows } = await pool.query<{ count: number }>(
        "select count(*)::integer as count from identities where email like 'real-%' and account_id is not null",
      );
      found.push(rows[0]?.count ?? 0);
    }
    assert.deepEqual(found, [40, 50]);
    await untilTrue(scene, 'the commits are counted again', place.owner.login);
  });

  it('repeats no lookup of unknown addresses of co-authors when another person adds commits', async () => {
    const { world, service } = scene;
    const place = addPlace(scene);
    const { tools } = place;
    const strangers = Array.from({ length: 40 }, (_, index) => ({
      name: `Stranger ${index}`,
      email: `stranger-${index}@elsewhere.example`,
    }));
    addCommit(world, tools, { author: olive, coAuthors: strangers });
    await service.getComplete(place.path);
    await untilIdle(service);
    const requested = lookupsIn(scene, place);
    for (let round = 0; round < 4; round += 1) {
      addCommit(world, tools, { author: olive });
      await readAgain(scene, place);
    }
    assert.equal(lookupsIn(scene, place), requested);
  });
});
