import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addCommit, addIssue, addRepository, addReview } from '../../../simulators/world/activity.ts';
import { addComment } from '../../../simulators/world/comments.ts';
import { contributorsOf } from '../../../simulators/world/expected-totals.ts';
import type { Repository } from '../../../simulators/world/model.ts';
import { setVisibility } from '../../../simulators/world/mutations.ts';
import { listed } from '../../contract/served.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import { entity, install, type Scene, untilTrue } from '../../e2e/gitlab/scene.ts';
import { round } from '../../e2e/installations/installed.ts';
import { openGitLab } from './scenes.ts';

describe('polls of owners at GitLab', () => {
  it('find changes in a group and in the projects of a user without webhooks in the next round', async () => {
    await using scene = await openGitLab();
    const { repositories, organization, world, people, pulls, now } = scene;
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

    const { login, id: ownerId } = people.ada;
    const own = addRepository(world, { ownerId, name: 'notes', createdAt: now(), hasDiscussions: false });
    addCommit(world, own, { author: { name: 'Ada', email: people.ada.emails[0] ?? '' } });
    await scene.service.getComplete(`/v1/gitlab/entities/${login}/contributors`);
    await install(scene, `gitlab/${login}`);
    await untilIdle(scene.service);
    await assertFollowed(scene, own, login);
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
