import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { remember } from '../../../simulators/gitea/moved.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { renameAccount, takeLogin } from '../../../simulators/world/mutations.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import { entity, untilResponsesMatchWorld } from '../../e2e/gitea/fixture.ts';
import { engines } from '../../integration/access/owner.ts';
import { clock, until } from '../../time.ts';
import { withSteppedGitea } from '../sync/stepped-hosts.ts';
import { startSteppedService } from '../sync/stepped-service.ts';

describe('renamed accounts', () => {
  /** Former names of accounts that the service never stored under these names. */

  it('redirects a former name that only Gitea knows with 301 after one lookup, until another account takes it', async () => {
    await withSteppedGitea(async ({ service, simulator, world, people, advance }) => {
      renameAccount(world, people.max, 'max-renamed');
      remember(people.max, 'max-member');
      const old = `${entity('MAX-member')}/contributions?limit=1&v=%20a`;
      const first = await service.get(old);
      assert.equal(first.status, 301, first.text);
      assert.equal(first.headers.get('location'), `${entity('max-renamed')}/contributions?limit=1&v=%20a`);
      await untilIdle(service);
      const requestCount = simulator.requests.length;
      for (const path of ['', '/contributors', '/achievements']) {
        const { status, headers } = await service.get(`${entity('max-member')}${path}`);
        assert.deepEqual([status, headers.get('location')], [301, `${entity('max-renamed')}${path}`]);
      }
      await untilIdle(service);
      assert.equal(simulator.requests.length, requestCount);
      // Nothing has changed an hour later, which costs requests that no caller waits for.
      advance(3700);
      assert.equal((await service.get(entity('max-member'))).status, 301);
      await untilIdle(service);
      assert.equal((await service.get(entity('max-member'))).status, 301);

      const successor = takeLogin(world, 'max-member');
      advance(3700);
      const taken = await until(async () => {
        // A lookup that failed, because the machine is busy, is repeated later.
        advance(60);
        const response = await service.get(entity('max-member'));
        return response.status === 200 ? response : undefined;
      }, 'the response is that of the account that took the name');
      assert.equal(taken.body.data[0]?.['display_name'], successor.name);
      const { body } = await service.get(entity('max-renamed'));
      assert.notEqual(body.data[0]?.['id'], taken.body.data[0]['id']);
    });
  });

  it('follows the redirect of the host to another account instead of a contributor who had the name before', async () => {
    await withSteppedGitea(async (fixture) => {
      const { service, simulator, world, people } = fixture;
      await untilResponsesMatchWorld(fixture, 'the contributor is known by a mention');
      await untilIdle(service);
      renameAccount(world, people.max, 'max-second');
      const successor = takeLogin(world, 'max-member');
      renameAccount(world, successor, 'other-second');
      remember(successor, 'max-member');
      for (let count = 0; count < 3; count += 1) {
        const { status, headers } = await service.get(entity('max-member'));
        assert.deepEqual([status, headers.get('location')], [301, entity('other-second')]);
        await untilIdle(service);
      }
      // Only a search by id returns the new name of the contributor.
      assert.ok(simulator.requests.some((request) => request.includes(`/users/search?uid=${people.max.id}`)));
      await until(async () => {
        // The URL differs from that of the cached list, which may show the former name for a minute.
        const { body } = await service.get(`${entity(engines.name)}/contributors?limit=99&v=${Math.random()}`);
        const names = new Set(body.data.map(({ name }) => String(name)));
        return names.has('max-second') && !names.has('max-member') ? true : undefined;
      }, 'the list shows the new name alone');
    });
  });

  it('finds a contributor who was renamed at GitHub by the name that the list shows', async () => {
    const { now } = clock();
    await using simulator = await startSimulator({ now, repositories: 2 });
    await using service = await startSteppedService({ simulator, now });
    const { body } = await service.getComplete(`${engines.name}/contributors?limit=100&bots=false`);
    await untilIdle(service);
    const login = String(body.data[0]?.['name']);
    const { world } = simulator;
    renameAccount(world, world.accountByLogin(login) ?? assert.fail(login), 'renamed-since');
    const { status, headers } = await service.get(login);
    assert.deepEqual([status, headers.get('location')], [301, '/v1/github/entities/renamed-since']);
    const found = await service.get('renamed-since');
    assert.equal(found.body.data[0]?.['id'], body.data[0]?.['id']);
  });
});
