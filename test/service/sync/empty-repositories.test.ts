import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { describeRepository } from '../../../simulators/gitea/responses.ts';
import { addCommit, addRepository } from '../../../simulators/world/activity.ts';
import type { Account, Repository } from '../../../simulators/world/model.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import {
  addOrganization,
  deliver,
  entity,
  type Fixture,
  responseContext,
  untilResponsesMatchWorld,
} from '../../e2e/gitea/fixture.ts';
import { until } from '../../time.ts';
import { withSteppedGitea } from './stepped-hosts.ts';

describe('repositories of Gitea that seem to be empty', () => {
  it('are read again until their push is shown, and a bounded number of times where nothing was pushed', async () => {
    await withSteppedGitea(async (fixture) => {
      const { service, simulator, world, people, repositories, now, advance } = fixture;
      const author = { name: 'Ada', email: people.ada.emails[0] ?? '' };
      const addOwnerAndRepository = (name: string, createdAt = now()): { owner: Account; fresh: Repository } => {
        const owner = addOrganization(fixture);
        return { owner, fresh: addRepository(world, { ownerId: owner.id, name, createdAt }) };
      };
      // Git shows a push that the interface does not show yet.
      const createdAt = new Date(now().getTime() - 86_400_000);
      const pushed = addOwnerAndRepository('pushed', createdAt);
      addCommit(world, pushed.fresh, { author });
      Object.assign(pushed.fresh, { pushedAt: null, updatedAt: createdAt });
      simulator.unprocessedPushes.add(pushed.fresh);
      const seen: unknown[] = [];
      atThirdRequest(fixture, pushed.fresh, () => {
        seen.push(findHistory(fixture, pushed.fresh));
        simulator.unprocessedPushes.clear();
      });
      await untilListed(fixture, pushed.owner, pushed.fresh);
      await untilHistory(fixture, pushed.fresh, { commits: 1, isComplete: true, branch: 'main' });
      assert.deepEqual(await seen[0], { commits: 0, isComplete: false, branch: '' });

      // A repository that was created a moment ago gets its first push later.
      const created = addOwnerAndRepository('created');
      atThirdRequest(fixture, created.fresh, () => void addCommit(world, created.fresh, { author }));
      await untilListed(fixture, created.owner, created.fresh);
      await untilHistory(fixture, created.fresh, { commits: 1, isComplete: true, branch: 'main' });

      // The other repository stays empty.
      const stays = addOwnerAndRepository('stays');
      await untilListed(fixture, stays.owner, stays.fresh);
      await untilIdle(service);
      assert.deepEqual(await findHistory(fixture, stays.fresh), { commits: 0, isComplete: true, branch: '' });
      const requests = simulator.requests.filter((request) => request.endsWith(`/repos/${stays.owner.login}/stays`));
      assert.ok(requests.length < 20, `${requests.length} requests`);

      // A delivery names a push that the interface does not show yet.
      const { empty } = repositories;
      await untilResponsesMatchWorld(fixture, 'everything is counted');
      await untilIdle(service);
      assert.deepEqual(await findHistory(fixture, empty), { commits: 0, isComplete: true, branch: '' });
      advance(60);
      simulator.unprocessedPushes.add(empty);
      addCommit(world, empty, { author });
      atThirdRequest(fixture, empty, () => simulator.unprocessedPushes.clear());
      await deliver(fixture, '004-push', { repository: describeRepository(responseContext(fixture), empty) });
      await untilIdle(service);
      assert.deepEqual(await findHistory(fixture, empty), { commits: 1, isComplete: true, branch: 'main' });
    });
  });
});

describe('repositories that are called empty, and whose history cannot be read', () => {
  it('stay incomplete, and their stream fails, until git reads the history', async () => {
    await withSteppedGitea(async (fixture) => {
      const { service, simulator, world, people, now, advance } = fixture;
      const createdAt = new Date(now().getTime() - 86_400_000);
      const owner = addOrganization(fixture);
      const repository = addRepository(world, { ownerId: owner.id, name: 'damaged', createdAt });
      addCommit(world, repository, { author: { name: 'Ada', email: people.ada.emails[0] ?? '' } });
      Object.assign(repository, { pushedAt: null, updatedAt: createdAt });
      simulator.unprocessedPushes.add(repository);
      simulator.gitUnreadable.add(repository);
      await untilListed(fixture, owner, repository);
      await untilIdle(service);
      assert.deepEqual(await findHistory(fixture, repository), { commits: 0, isComplete: false, branch: '' });
      const { rows } = await service.database.pool.query(
        `select s.failure from streams s join repositories r on r.id = s.repository_id
         where r.external_id = $1 and s.name = 'commits'`,
        [String(repository.id)],
      );
      assert.deepEqual(rows, [{ failure: 'provider_invalid_response' }]);

      simulator.gitUnreadable.clear();
      simulator.unprocessedPushes.clear();
      advance(3700);
      await service.get(`${entity(owner.login)}/contributors?limit=30`);
      await untilHistory(fixture, repository, { commits: 1, isComplete: true, branch: 'main' });
    });
  });
});

/** Returns the number of stored commits of a repository, and whether its history is complete. */
async function findHistory({ service }: Fixture, { id }: Repository): Promise<unknown> {
  const { rows } = await service.database.pool.query(
    `select coalesce(t.commits, 0) as commits, s.completed_at is not null as "isComplete", r.default_branch as branch
     from repositories r join streams s on s.repository_id = r.id and s.name = 'commits'
     left join repository_totals t on t.repository_id = r.id where r.external_id = $1`,
    [String(id)],
  );
  return rows[0];
}

async function untilHistory(fixture: Fixture, repository: Repository, expected: object): Promise<void> {
  await until(async () => {
    await fixture.service.work?.();
    return isDeepStrictEqual(await findHistory(fixture, repository), expected) ? true : undefined;
  }, JSON.stringify(expected));
}

async function untilListed(fixture: Fixture, owner: Account, repository: Repository): Promise<void> {
  await until(async () => {
    await fixture.service.get(`${entity(owner.login)}/contributors`);
    return (await findHistory(fixture, repository)) === undefined ? undefined : true;
  }, 'the repository is listed');
}

/** Runs `act` when a repository is requested for the third time. */
function atThirdRequest({ simulator, world }: Fixture, { ownerId, name }: Repository, act: () => void): void {
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
