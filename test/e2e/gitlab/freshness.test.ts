import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { events } from '../../../simulators/gitlab/deliveries.ts';
import { addCommit, addIssue, addRepository, addReview } from '../../../simulators/world/activity.ts';
import { addComment } from '../../../simulators/world/comments.ts';
import { contributorsOf, countersOf } from '../../../simulators/world/expected-totals.ts';
import type { Repository } from '../../../simulators/world/model.ts';
import { closeItem, setVisibility } from '../../../simulators/world/mutations.ts';
import { listed, numbersOf } from '../../contract/served.ts';
import { untilIdle } from '../access/state.ts';
import { round } from '../installations/installed.ts';
import { deliver, entity, inService, install, projectPayload, type Scene, untilTrue } from './scene.ts';

/** Tests how soon a change at a simulated GitLab is known. */

describe('freshness of data of GitLab', () => {
  it('updates the numbers of everyone whose contributions another person changes, both summed and reported ones', async () => {
    await inService(async (scene) => {
      const { service, world, people, repositories, issues } = scene;
      await untilTrue(scene, 'everything is counted');
      await untilTrue(scene, 'the group below is counted', scene.looms.login);
      const { ada, max, olive } = people;
      for (const { login } of [ada, max]) await service.get(entity(login));
      await untilIdle(service);
      for (const { login } of [ada, max]) await numbersOf(service, entity(login));
      await untilIdle(service);
      addCommit(world, repositories.handbook, { author: { name: 'Max', email: max.emails[0] ?? '' } });
      await deliver(scene, 'Push Hook', events.push(projectPayload(repositories.handbook), olive));
      const open = issues.find(({ authorId, closedAt }) => authorId === ada.id && closedAt === null);
      assert.ok(open);
      closeItem(world, open, { by: olive });
      await deliver(scene, 'Issue Hook', events.issue(projectPayload(repositories.handbook), olive, 'close'));
      await untilIdle(service);
      for (const { login } of [ada, max])
        assert.deepEqual(await numbersOf(service, entity(login)), countersOf(world, login));
    });
  });

  it('finds changes in a group without webhooks by the next round of polls', async () => {
    await inService(async (scene) => {
      const { repositories, organization, world, people, pulls } = scene;
      await untilTrue(scene, 'everything is counted');
      await install(scene, `gitlab/${organization.login}`);
      await untilIdle(scene.service);
      await round(scene);
      const [, , , pull] = pulls;
      assert.ok(pull);
      pull.updatedAt = scene.now();
      addReview(world, pull, { author: people.max });
      await round(scene);
      await assertContributors(scene, organization.login);
      await assertFollowed(scene, repositories.handbook, organization.login);
    });
  });

  it('finds changes in the projects of a user without webhooks by the next round of polls', async () => {
    await inService(async (scene) => {
      const { world, people, now } = scene;
      const { login, id: ownerId } = people.ada;
      const own = addRepository(world, { ownerId, name: 'notes', createdAt: now(), hasDiscussions: false });
      addCommit(world, own, { author: { name: 'Ada', email: people.ada.emails[0] ?? '' } });
      await scene.service.getComplete(`/v1/gitlab/entities/${login}/contributors`);
      await install(scene, `gitlab/${login}`);
      await untilIdle(scene.service);
      await assertFollowed(scene, own, login);
    });
  });
});

async function assertContributors({ service, world }: Scene, name: string): Promise<void> {
  const { body } = await service.get(`${entity(name)}/contributors?limit=100`);
  assert.deepEqual(listed(body.data), contributorsOf(world, name));
}

/** Makes one change after the other in a project, and asserts that the next round of polls finds each. */
async function assertFollowed(scene: Scene, repository: Repository, owner: string): Promise<void> {
  const { world, people, service } = scene;
  await round(scene);
  const issue = addIssue(world, repository, { author: people.max });
  await round(scene);
  await assertContributors(scene, owner);
  addCommit(world, repository, { author: { name: 'Max', email: people.max.emails[0] ?? '' } });
  await round(scene);
  await assertContributors(scene, owner);
  addComment(world, issue, { author: people.olive });
  await round(scene);
  const { rows } = await service.database.pool.query(
    "select 1 from contributions where kind = 'issue_comment' and parent_external_id = $1",
    [String(issue.id)],
  );
  assert.equal(rows.length, 1);
  setVisibility(world, repository, 'private');
  await round(scene);
  await assertContributors(scene, owner);
}
