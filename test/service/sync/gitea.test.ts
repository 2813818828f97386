import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addIssue } from '../../../simulators/world/activity.ts';
import { listContributors, toCounters } from '../../../simulators/world/expected-totals.ts';
import { toContributors } from '../../contract/service-responses.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import { entity, untilResponsesMatchWorld } from '../../e2e/gitea/fixture.ts';
import { bearer, engines, serviceToken } from '../../integration/access/owner.ts';
import { until } from '../../time.ts';
import { withSteppedGitea } from './stepped-hosts.ts';

describe('the service on Gitea', () => {
  /** Tests a service on a simulated Gitea. */

  it('looks up, counts, lists and draws an organization, shows private data to its owner, and sums the numbers of users', async () => {
    await withSteppedGitea(async (fixture) => {
      const { service, simulator, world, advance } = fixture;
      const { status, body } = await service.get(entity('ANALYTICAL-engines'));
      assert.equal(status, 200);
      assert.equal(body.data[0]?.['name'], engines.name);
      assert.equal(body.data[0]?.['provider'], 'gitea');
      await untilResponsesMatchWorld(fixture, 'everything is counted');
      const { body: ofOne } = await service.getComplete(`${entity(engines.name)}/contributors?repository=handbook`);
      assert.deepEqual(
        toContributors(ofOne.data),
        listContributors(fixture.world, engines.name, { repository: 'handbook' }),
      );
      const { headers, text } = await service.get(`${entity(engines.name)}/contributors?format=svg`);
      assert.match(headers.get('content-type') ?? '', /^image\/svg\+xml/);
      assert.match(text, /Ada Lovelace/);
      assert.equal((await service.get(entity('nobody-at-all'))).status, 404);
      assert.equal((await service.get('/v1/forgejo/entities/ada-lovelace')).status, 404);
      await untilIdle(service);

      const token = await serviceToken(service, simulator, { ...engines, name: entity(engines.name) });
      const { body: own } = await service.get(`${entity(engines.name)}/repositories`, bearer(token));
      assert.deepEqual(own.data.map(({ name }) => String(name)).toSorted(), ['empty', 'handbook', 'secret-plans']);
      assert.equal((await service.get(`${entity(engines.name)}/repositories`)).status, 401);
      const { body: people } = await service.getComplete(`${entity(engines.name)}/contributors`, bearer(token));
      const viewer = { accountId: fixture.people.olive.id, seesPrivate: true };
      assert.deepEqual(toContributors(people.data), listContributors(world, engines.name, { viewer }));
      assert.notDeepEqual(toContributors(people.data), listContributors(world, engines.name));
      assert.ok(simulator.gitRequests.some((request) => request.includes('secret-plans')));
      for (const line of service.lines) assert.doesNotMatch(line, /simulated_organization/);
      const member = await service.get(`${entity(engines.name)}/token`, bearer(simulator.tokens.organization_member));
      assert.equal(member.status, 403);

      for (const name of ['max-member', 'ada-lovelace']) {
        await service.get(entity(name));
        await untilIdle(service);
        const { body } = await service.getComplete(`${entity(name)}/contributors`);
        assert.equal(body.meta_data.complete, true);
        await untilIdle(service);
        const { body: numbers } = await service.get(`${entity(name)}/contributions`);
        assert.deepEqual(numbers.data[0]?.['contributions'], toCounters(world, name));
        assert.equal(numbers.meta_data.complete, false);
        assert.deepEqual(numbers.meta_data.missing?.toSorted(), [
          'commits',
          'contributed_to',
          'experience',
          'issues',
          'issues_closed',
          'level',
          'pull_requests',
          'pull_requests_merged',
          'reviews',
        ]);
      }
      addIssue(world, fixture.repositories.handbook, { author: fixture.people.max });
      advance(7200);
      await until(async () => {
        await service.get(`${entity(engines.name)}/contributors`);
        // Each step of the clock makes everything stale, so that it waits for the reads of the step before.
        await untilIdle(service);
        const { body } = await service.get(`${entity('max-member')}/contributions`);
        advance(3601);
        const counted = JSON.stringify(body.data[0]?.['contributions']);
        return counted === JSON.stringify(toCounters(world, 'max-member')) ? true : undefined;
      }, 'the numbers of the user follow');
    });
  });

  it('reads an instance that requires a sign-in with a token, and its commits once the code is switched on', async () => {
    await withSteppedGitea(
      async (fixture) => {
        const { service, simulator, world, repositories, advance } = fixture;
        simulator.withoutGit.add(repositories.handbook);
        const numbers = async () => (await service.get(`${entity(engines.name)}/contributions`)).body;
        await until(async () => {
          const { data, meta_data: about } = await numbers();
          const counted = (data[0]?.['contributions'] ?? {}) as Record<string, number>;
          return about.missing?.includes('commits') && counted['issues'] === 5 ? true : undefined;
        }, 'everything but commits is counted');
        await untilIdle(service);
        const { body } = await service.get(`${entity(engines.name)}/contributors?repository=handbook`);
        assert.equal(body.meta_data.complete, false);
        assert.ok(body.data.length > 0);
        assert.notDeepEqual(
          toContributors(body.data),
          listContributors(world, engines.name, { repository: 'handbook' }),
        );
        simulator.withoutGit.clear();
        advance(3601);
        await untilResponsesMatchWorld(fixture, 'commits are counted too');
      },
      { isClosed: true },
    );
  });
});
