import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { repository } from '../../../simulators/gitea/responses.ts';
import { addCommit, addRepository } from '../../../simulators/world/activity.ts';
import type { Account, Repository } from '../../../simulators/world/model.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import { addOrganization, deliver, entity, placeOf, type Scene, untilTrue } from '../../e2e/gitea/scene.ts';
import { until } from '../../time.ts';
import { inGitea } from './scenes.ts';

describe('repositories of Gitea that seem to be empty', () => {
  it('are read again until their push is shown, and a bounded number of times where nothing was pushed', async () => {
    await inGitea(async (scene) => {
      const { service, simulator, world, people, repositories, now, advance } = scene;
      const author = { name: 'Ada', email: people.ada.emails[0] ?? '' };
      const place = (name: string, createdAt = now()): { owner: Account; fresh: Repository } => {
        const owner = addOrganization(scene);
        return { owner, fresh: addRepository(world, { ownerId: owner.id, name, createdAt }) };
      };
      // Git shows a push that the interface does not show yet.
      const createdAt = new Date(now().getTime() - 86_400_000);
      const pushed = place('pushed', createdAt);
      addCommit(world, pushed.fresh, { author });
      Object.assign(pushed.fresh, { pushedAt: null, updatedAt: createdAt });
      simulator.behind.add(pushed.fresh);
      const seen: unknown[] = [];
      atThirdRequest(scene, pushed.fresh, () => {
        seen.push(historyOf(scene, pushed.fresh));
        simulator.behind.clear();
      });
      await untilListed(scene, pushed.owner, pushed.fresh);
      await untilHistory(scene, pushed.fresh, { commits: 1, isComplete: true, branch: 'main' });
      assert.deepEqual(await seen[0], { commits: 0, isComplete: false, branch: '' });

      // A repository that was created a moment ago gets its first push later.
      const created = place('created');
      atThirdRequest(scene, created.fresh, () => void addCommit(world, created.fresh, { author }));
      await untilListed(scene, created.owner, created.fresh);
      await untilHistory(scene, created.fresh, { commits: 1, isComplete: true, branch: 'main' });

      // Another one stays empty.
      const stays = place('stays');
      await untilListed(scene, stays.owner, stays.fresh);
      await untilIdle(service);
      assert.deepEqual(await historyOf(scene, stays.fresh), { commits: 0, isComplete: true, branch: '' });
      const requests = simulator.requests.filter((request) => request.endsWith(`/repos/${stays.owner.login}/stays`));
      assert.ok(requests.length < 20, `${requests.length} requests`);

      // A delivery names a push that the interface does not show yet.
      const { empty } = repositories;
      await untilTrue(scene, 'everything is counted');
      await untilIdle(service);
      assert.deepEqual(await historyOf(scene, empty), { commits: 0, isComplete: true, branch: '' });
      advance(60);
      simulator.behind.add(empty);
      addCommit(world, empty, { author });
      atThirdRequest(scene, empty, () => simulator.behind.clear());
      await deliver(scene, '004-push', { repository: repository(placeOf(scene), empty) });
      await untilIdle(service);
      assert.deepEqual(await historyOf(scene, empty), { commits: 1, isComplete: true, branch: 'main' });
    });
  });
});

/** Returns the number of stored commits of a repository, and whether its history is complete. */
async function historyOf({ service }: Scene, { id }: Repository): Promise<unknown> {
  const { rows } = await service.database.pool.query(
    `select coalesce(t.commits, 0) as commits, s.completed_at is not null as "isComplete", r.default_branch as branch
     from repositories r join streams s on s.repository_id = r.id and s.name = 'commits'
     left join repository_totals t on t.repository_id = r.id where r.external_id = $1`,
    [String(id)],
  );
  return rows[0];
}

async function untilHistory(scene: Scene, repository: Repository, wanted: object): Promise<void> {
  await until(async () => {
    await scene.service.work?.();
    return isDeepStrictEqual(await historyOf(scene, repository), wanted) ? true : undefined;
  }, JSON.stringify(wanted));
}

async function untilListed(scene: Scene, owner: Account, repository: Repository): Promise<void> {
  await until(async () => {
    await scene.service.get(`${entity(owner.login)}/contributors`);
    return (await historyOf(scene, repository)) === undefined ? undefined : true;
  }, 'the repository is listed');
}

/** Runs `act` when a repository is requested for the third time. */
function atThirdRequest({ simulator, world }: Scene, { ownerId, name }: Repository, act: () => void): void {
  const owner = world.accounts.find(({ id }) => id === ownerId);
  let requests = 0;
  // The override of an earlier step has done its work.
  simulator.overrides.length = 0;
  simulator.overrides.push((path) => {
    if (path !== `/repos/${owner?.login}/${name}`) return undefined;
    requests += 1;
    if (requests === 3) act();
    return undefined;
  });
}
