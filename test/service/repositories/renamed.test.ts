import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startGiteaSimulator } from '../../../simulators/gitea/simulator.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import type { TokenName } from '../../../simulators/github/tokens.ts';
import { startGitLabSimulator } from '../../../simulators/gitlab/simulator.ts';
import { addRepository } from '../../../simulators/world/activity.ts';
import { renameRepository, setVisibility, transferRepository } from '../../../simulators/world/mutations.ts';
import { type ContractWorld, createContractWorld } from '../../contract/world.ts';
import { sampled } from '../../depth.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import { listGiteaSettings as giteaSettings } from '../../e2e/gitea/fixture.ts';
import { listGitLabSettings as gitlabSettings } from '../../e2e/gitlab/fixture.ts';
import type { TestService } from '../../e2e/service.ts';
import { bearer, engines, serviceToken, tokenIn } from '../../integration/access/owner.ts';
import { until } from '../../time.ts';
import { startSteppedService } from '../sync/stepped-service.ts';

/** Former names of repositories, at every host. */

interface Hosted extends AsyncDisposable {
  url: string;
  apiUrl: string;
  tokens: Record<TokenName, string>;
  requests: readonly unknown[];
}

interface Fixture extends ContractWorld {
  service: TestService;
  hosted: Hosted;
  /** The address of the organization. */
  owner: string;
}

const hosts: Record<string, (world: ContractWorld) => Promise<{ hosted: Hosted; settings: Record<string, string> }>> = {
  github: async ({ world, now }) => {
    const hosted = await startSimulator({ world, now });
    return { hosted, settings: { GITHUB_TOKEN: hosted.tokens.organization_member } };
  },
  gitea: async ({ world }) => {
    const hosted = await startGiteaSimulator({ world });
    return { hosted, settings: giteaSettings(hosted) };
  },
  gitlab: async ({ world }) => {
    const hosted = await startGitLabSimulator({ world });
    return { hosted, settings: gitlabSettings(hosted) };
  },
};

async function inService(provider: string, check: (fixture: Fixture) => Promise<void>): Promise<void> {
  const world = createContractWorld();
  const { hosted, settings } = (await hosts[provider]?.(world)) ?? assert.fail(provider);
  await using stack = new AsyncDisposableStack();
  stack.use(hosted);
  await using service = await startSteppedService({ simulator: hosted, tokens: [], settings, now: world.now });
  const owner = `/v1/${provider}/entities/${engines.name}`;
  await check({ ...world, service, hosted, owner });
}

const location = async (service: TestService, path: string, token?: string): Promise<string> => {
  const { status, headers } = await service.get(path, token === undefined ? {} : bearer(token));
  return `${status} ${headers.get('location')}`;
};

describe('renamed repositories', () => {
  for (const provider of sampled(Object.keys(hosts), 3)) {
    it(`redirects former names of ${provider} repositories, but not under a former owner, and hides those of private ones`, async () => {
      await inService(provider, async (fixture) => {
        const { service, hosted, owner, world, people, organization, repositories, advance, now } = fixture;
        const { fork, handbook } = repositories;
        renameRepository(world, fork, 'copy');
        transferRepository(world, repositories.handbook, people.ada);
        const transferred = await Promise.all(
          ['handbook', 'never-was', repositories.plans.name].map((name) =>
            service.get(`${owner}/contributors?repository=${name}`),
          ),
        );
        assert.deepEqual(
          transferred.map(({ status }) => status),
          [404, 404, 404],
        );
        const { rows } = await service.database.pool.query('select name from repositories');
        assert.deepEqual(rows, []);
        transferRepository(world, handbook, organization);
        advance(3700);

        renameRepository(world, repositories.handbook, 'manual');
        const list = `${owner}/contributors?limit=5&repository=HANDBOOK&bots=false`;
        const expected = `301 ${owner}/contributors?limit=5&repository=manual&bots=false`;
        await until(
          async () => ((await location(service, list)) === expected ? true : undefined),
          'the former name leads to the new one',
        );
        await untilIdle(service);
        const requestCount = hosted.requests.length;
        assert.equal(await location(service, list), expected);
        assert.equal(
          await location(service, `${owner}/contributors?%72epository=handbook&format=svg`),
          `301 ${owner}/contributors?repository=manual&format=svg`,
        );
        assert.equal(
          await location(service, `${owner}/repositories/handbook/badges/community?repository=handbook`),
          `301 ${owner}/repositories/manual/badges/community?repository=handbook`,
        );
        await untilIdle(service);
        assert.equal(hosted.requests.length, requestCount);
        const { body } = await service.getComplete(`${owner}/contributors?repository=manual`);
        assert.ok(body.data.length > 0);

        // The service notices the next rename on its own.
        renameRepository(world, repositories.handbook, 'guide');
        advance(3700);
        await until(async () => {
          await service.get(`${owner}/contributors`);
          return (await location(service, `${owner}/contributors?repository=manual`)).startsWith('301')
            ? true
            : undefined;
        }, 'the rename is noticed');
        for (const name of ['handbook', 'manual']) {
          assert.equal(
            await location(service, `${owner}/contributors?repository=${name}`),
            `301 ${owner}/contributors?repository=guide`,
          );
        }
        addRepository(world, { ownerId: organization.id, name: 'handbook', createdAt: now() });
        advance(3700);
        await until(async () => {
          const { status } = await service.get(`${owner}/contributors?repository=handbook`);
          return status === 200 ? true : undefined;
        }, 'the response is about the repository that took the name');

        renameRepository(world, repositories.plans, 'hidden-plans');
        const own = await service.get(`${owner}/token`, bearer(hosted.tokens[engines.token]));
        const token = tokenIn(own);
        const toPath = (name: string) => `${owner}/repositories/${name}/contributors?limit=5`;
        const moved = `301 ${toPath('hidden-plans')}`;
        await until(
          async () => ((await location(service, toPath('secret-plans'), token)) === moved ? true : undefined),
          moved,
        );
        await untilIdle(service);
        // A repository that was public under a name and is private now looks as absent as one that never existed.
        renameRepository(world, repositories.handbook, 'leaflet');
        advance(3700);
        await until(async () => {
          await service.get(`${owner}/contributors`);
          return (await location(service, `${owner}/contributors?repository=guide`)).startsWith('301')
            ? true
            : undefined;
        }, 'the rename is noticed');
        setVisibility(world, repositories.handbook, 'private');
        advance(3700);
        await until(async () => {
          await service.get(`${owner}/contributors?repository=leaflet`);
          return (await location(service, `${owner}/contributors?repository=guide`)).startsWith('404')
            ? true
            : undefined;
        }, 'it is hidden');
        for (const path of [
          'contributors?repository=NAME',
          'repositories/NAME/badges/community',
          'contributors?repository=NAME&format=svg',
        ]) {
          const responses = [];
          for (const name of ['secret-plans', 'hidden-plans', 'guide', 'leaflet', 'never-was']) {
            const address = `${owner}/${path.replace('NAME', name)}`;
            await until(
              async () => ((await service.get(address)).status === 202 ? undefined : true),
              `the response about ${address} is not pending`,
            );
            await untilIdle(service);
            const { status, text, headers } = await service.get(address);
            responses.push([status, text, headers.get('cache-control'), headers.get('location')]);
          }
          for (const response of responses) assert.deepEqual(response, responses.at(-1), path);
        }
        const absentRepository = await service.get(toPath('secret-plans'));
        assert.deepEqual([absentRepository.status, absentRepository.headers.get('location')], [401, null]);
      });
    });
  }

  it('serves an embed link to a card of a repository after the repository is renamed', async () => {
    await inService('github', async ({ service, hosted, owner, world, repositories }) => {
      const token = await serviceToken(service, hosted, { name: engines.name, token: engines.token });
      await service.getComplete(`${owner}/repositories/secret-plans/contributors`, bearer(token));
      const created = await service.get(`${owner}/embeds`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ path: `${owner}/repositories/secret-plans/contributors`, format: 'svg' }),
      });
      const { data } = JSON.parse(created.text) as { data: { url: string } };
      const link = new URL(data.url).pathname;
      const before = await service.get(link);
      assert.equal(before.status, 200);
      renameRepository(world, repositories.plans, 'hidden-plans');
      await service.getComplete(`${owner}/repositories/hidden-plans/contributors`, bearer(token));
      const after = await service.get(link);
      assert.equal(after.status, 200, after.text);
      assert.match(after.headers.get('content-type') ?? '', /^image\/svg/);
    });
  });
});
