import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { delivery, events } from '../../../simulators/gitlab/deliveries.ts';
import { addCommit, addIssue, addRepository, addReview } from '../../../simulators/world/activity.ts';
import { contributorsOf, countersOf } from '../../../simulators/world/expected-totals.ts';
import { closeItem } from '../../../simulators/world/mutations.ts';
import { listed, numbersOf } from '../../contract/served.ts';
import { bearer, engines, serviceToken } from '../../integration/access/owner.ts';
import { untilIdle } from '../access/state.ts';
import { send } from '../raw-request.ts';
import { deliver, entity, openScene, projectPayload, untilTrue } from './scene.ts';

/** Tests a whole service on a simulated GitLab. */

describe('the service on GitLab', () => {
  it('looks up, counts and draws groups, subgroups and users, and shows private data only to the owner of each group', async () => {
    await using scene = await openScene();
    const { service, simulator, world, looms, people } = scene;
    const { status, body } = await service.get(entity('ANALYTICAL-engines'));
    assert.equal(status, 200);
    assert.deepEqual([body.data[0]?.['name'], body.data[0]?.['provider']], [engines.name, 'gitlab']);
    await untilTrue(scene, 'everything is counted');
    const { body: ofOne } = await service.getComplete(`${entity(engines.name)}/contributors?repository=handbook`);
    assert.deepEqual(listed(ofOne.data), contributorsOf(world, engines.name, { repository: 'handbook' }));

    const { body: below } = await service.get(entity(looms.login.toUpperCase()));
    assert.deepEqual([below.data[0]?.['name'], below.data[0]?.['type']], [looms.login, 'organization']);
    assert.match(String(below.data[0]?.['url']), /\/api\/v4\/groups\/analytical-engines%2Flooms$/);
    await untilTrue(scene, 'what the group below owns is counted', looms.login);
    const { body: cards } = await service.getComplete(`${entity(looms.login)}/contributors?repository=punch.cards`);
    assert.deepEqual(listed(cards.data), contributorsOf(world, looms.login, { repository: 'punch.cards' }));
    for (const picture of ['contributors?format=svg', 'contributions?format=svg&card=calendar', 'badges/community']) {
      const { headers, text } = await service.get(`${entity(looms.login)}/${picture}`);
      assert.match(headers.get('content-type') ?? '', /^image\/svg\+xml/, picture);
      assert.match(text, /<svg/);
    }
    const { text: composed } = await service.get(`/cards?provider=gitlab&name=${encodeURIComponent(looms.login)}`);
    assert.ok(composed.includes('/v1/gitlab/entities/analytical-engines%2Flooms/contributions?'), 'picture');
    assert.ok(composed.includes(`${scene.simulator.url}/analytical-engines/looms`), 'link');

    await service.get(entity('max-member'));
    await untilIdle(service);
    const { body: numbers } = await service.get(`${entity('max-member')}/contributions`);
    assert.deepEqual(numbers.data[0]?.['contributions'], countersOf(world, people.max.login));
    assert.deepEqual(numbers.meta_data.missing?.toSorted(), [
      'commits',
      'contributed_to',
      'experience',
      'level',
      'reviews',
    ]);
    for (const absentName of ['nobody-at-all', `${looms.login}/deeper`, 'a//b', '-']) {
      assert.equal((await service.get(entity(absentName))).status, 404, absentName);
    }

    await untilIdle(service);
    const token = await serviceToken(service, simulator, { ...engines, name: entity(engines.name) });
    const { body: own } = await service.get(`${entity(engines.name)}/repositories`, bearer(token));
    assert.deepEqual(own.data.map(({ name }) => String(name)).toSorted(), ['empty', 'handbook', 'secret-plans']);
    assert.match(String(own.data[0]?.['url']), /\/api\/v4\/projects\/analytical-engines%2F/);
    assert.equal((await service.get(`${entity(engines.name)}/repositories`)).status, 401);
    const { body: listedPeople } = await service.getComplete(`${entity(engines.name)}/contributors`, bearer(token));
    const viewer = { accountId: scene.people.olive.id, seesPrivate: true };
    assert.deepEqual(listed(listedPeople.data), contributorsOf(world, engines.name, { viewer }));
    assert.notDeepEqual(listed(listedPeople.data), contributorsOf(world, engines.name));
    assert.ok(simulator.gitRequests.some((request) => request.includes('secret-plans')));
    for (const line of service.lines) assert.doesNotMatch(line, /simulated_organization/);
    const member = await service.get(`${entity(engines.name)}/token`, bearer(simulator.tokens.organization_member));
    assert.equal(member.status, 403);

    const loomsToken = await serviceToken(service, simulator, { ...engines, name: entity(looms.login) });
    const { body: projects } = await service.get(`${entity(looms.login)}/repositories`, bearer(loomsToken));
    assert.deepEqual(
      projects.data.map(({ name, owner }) => [name, owner]),
      [['punch.cards', looms.login]],
    );
    const path = `${entity(looms.login)}/repositories/punch.cards/contributors`;
    assert.equal((await service.getComplete(path, bearer(loomsToken))).status, 200);
    assert.equal((await service.get(`${entity(engines.name)}/repositories`, bearer(loomsToken))).status, 403);
    const created = await service.get(`${entity(looms.login)}/embeds`, {
      method: 'POST',
      headers: { authorization: `Bearer ${loomsToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ path: `${path}?limit=5`, format: 'svg' }),
    });
    assert.equal(created.status, 201, created.text);
    const { data } = JSON.parse(created.text) as { data: { url: string } };
    const { pathname, search } = new URL(data.url);
    assert.match((await service.get(`${pathname}${search}`)).text, /<svg/);
  });

  it('updates the responses within seconds of a delivery, also the numbers of others', async () => {
    await using scene = await openScene();
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
