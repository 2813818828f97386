import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { delivery, events } from '../../../simulators/gitlab/deliveries.ts';
import { addCommit, addIssue, addRepository, addReview } from '../../../simulators/world/activity.ts';
import { countersOf } from '../../../simulators/world/expected-totals.ts';
import { closeItem } from '../../../simulators/world/mutations.ts';
import { numbersOf } from '../../contract/served.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import { deliver, entity, projectPayload, untilTrue } from '../../e2e/gitlab/scene.ts';
import { send } from '../../e2e/raw-request.ts';
import { openGitLab } from './scenes.ts';

/** Tests a whole service on a simulated GitLab. */

describe('the service on GitLab', () => {
  it('updates the responses within seconds of a delivery, also the numbers of others', async () => {
    await using scene = await openGitLab();
    const { service, world, people, repositories, issues, pulls } = scene;
    await untilTrue(scene, 'everything is counted');
    await untilIdle(service);
    const { ada, max, olive } = people;
    const handbook = projectPayload(repositories.handbook);
    const issue = addIssue(world, repositories.handbook, { author: max });
    assert.equal(await deliver(scene, 'Issue Hook', events.issue(handbook, max)), 'accepted');
    scene.advance(2);
    await untilTrue(scene, 'a new issue is counted');
    closeItem(world, issue, { by: olive });
    await deliver(scene, 'Issue Hook', events.issue(handbook, olive, 'close'));
    scene.advance(2);
    await untilTrue(scene, 'that it was closed is counted');
    const [, , , pull] = pulls;
    assert.ok(pull);
    pull.updatedAt = scene.now();
    addReview(world, pull, { author: max });
    await deliver(scene, 'Merge Request Hook', events.merge_request(handbook, max));
    scene.advance(2);
    await untilTrue(scene, 'a review is counted');
    addCommit(world, repositories.handbook, { author: { name: 'Max', email: 'max-member@mail.example' } });
    await deliver(scene, 'Push Hook', events.push(handbook, max));
    scene.advance(2);
    await untilTrue(scene, 'a commit is counted');
    const added = addRepository(world, { ownerId: scene.organization.id, name: 'added', createdAt: scene.now() });
    addIssue(world, added, { author: max });
    await deliver(scene, 'Project Hook', events.project('project_create', projectPayload(added)));
    scene.advance(4);
    await untilTrue(scene, 'a new project of an owner who is named by the path is counted');
    assert.equal(await deliver(scene, 'Pipeline Hook', { object_kind: 'pipeline' }), 'ignored');
    const { headers, body } = delivery('Push Hook', events.push(handbook, max));
    const unsigned = await send(service, '/v1/gitlab/webhooks', 'POST', { ...headers, 'x-gitlab-token': 'x' }, body);
    assert.equal(unsigned.status, 401);

    await untilTrue(scene, 'the group below is counted', scene.looms.login);
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
