import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listContributors, toCounters } from '../../../simulators/world/expected-totals.ts';
import { toContributors } from '../../contract/service-responses.ts';
import { bearer, engines, serviceToken } from '../../integration/access/owner.ts';
import { untilIdle } from '../access/state.ts';
import { entity, openFixture, untilResponsesMatchWorld } from './fixture.ts';

/** Tests a whole service on a simulated GitLab. */

describe('the service on GitLab', () => {
  it('looks up, counts and draws groups, subgroups and users, and shows private data only to the owner of each group', async () => {
    await using fixture = await openFixture();
    const { service, simulator, world, looms, people } = fixture;
    const { status, body } = await service.get(entity('ANALYTICAL-engines'));
    assert.equal(status, 200);
    assert.deepEqual([body.data[0]?.['name'], body.data[0]?.['provider']], [engines.name, 'gitlab']);
    await untilResponsesMatchWorld(fixture, 'everything is counted');
    const { body: ofOne } = await service.getComplete(`${entity(engines.name)}/contributors?repository=handbook`);
    assert.deepEqual(toContributors(ofOne.data), listContributors(world, engines.name, { repository: 'handbook' }));

    const { body: below } = await service.get(entity(looms.login.toUpperCase()));
    assert.deepEqual([below.data[0]?.['name'], below.data[0]?.['type']], [looms.login, 'organization']);
    assert.match(String(below.data[0]?.['url']), /\/api\/v4\/groups\/analytical-engines%2Flooms$/);
    await untilResponsesMatchWorld(fixture, 'what the group below owns is counted', looms.login);
    const { body: cards } = await service.getComplete(`${entity(looms.login)}/contributors?repository=punch.cards`);
    assert.deepEqual(toContributors(cards.data), listContributors(world, looms.login, { repository: 'punch.cards' }));
    for (const picture of ['contributors?format=svg', 'contributions?format=svg&card=calendar', 'badges/community']) {
      const { headers, text } = await service.get(`${entity(looms.login)}/${picture}`);
      assert.match(headers.get('content-type') ?? '', /^image\/svg\+xml/, picture);
      assert.match(text, /<svg/);
    }
    const { text: composed } = await service.get(`/cards?provider=gitlab&name=${encodeURIComponent(looms.login)}`);
    assert.ok(composed.includes('/v1/gitlab/entities/analytical-engines:looms/contributions?'), 'picture');
    assert.ok(composed.includes(`${fixture.simulator.url}/analytical-engines/looms`), 'link');

    await service.get(entity('max-member'));
    await untilIdle(service);
    const { body: numbers } = await service.get(`${entity('max-member')}/contributions`);
    assert.deepEqual(numbers.data[0]?.['contributions'], toCounters(world, people.max.login));
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
    const viewer = { accountId: fixture.people.olive.id, seesPrivate: true };
    assert.deepEqual(toContributors(listedPeople.data), listContributors(world, engines.name, { viewer }));
    assert.notDeepEqual(toContributors(listedPeople.data), listContributors(world, engines.name));
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
});
