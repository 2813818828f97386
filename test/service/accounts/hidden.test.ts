import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { addIssue } from '../../../simulators/world/activity.ts';
import { listContributors } from '../../../simulators/world/expected-totals.ts';
import { closeItem, deleteAccount, restoreAccount } from '../../../simulators/world/mutations.ts';
import { toContributors } from '../../contract/service-responses.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import * as gitea from '../../e2e/gitea/fixture.ts';
import * as gitlab from '../../e2e/gitlab/fixture.ts';
import { runTask } from '../../e2e/installations/installed.ts';
import type { TestService } from '../../e2e/service.ts';
import { bearer, engines, tokenIn } from '../../integration/access/owner.ts';
import { clock, until } from '../../time.ts';
import { withSteppedGitea, withSteppedGitLab } from '../sync/stepped-hosts.ts';
import { startSteppedService } from '../sync/stepped-service.ts';

/** Accounts that their host hides from strangers, in public responses of the service. */

/** Returns whether an account is in the list of contributors and on its card, and how many the badge counts. */
async function visibilityIn(service: TestService, owner: string, login: string): Promise<[boolean, boolean, number]> {
  const { body } = await service.get(`${owner}/contributors?limit=100`);
  const { text: card } = await service.get(`${owner}/contributors?format=svg&limit=100`);
  const { text: badge } = await service.get(`${owner}/badges/community`);
  const count = /(\d+) contributors?/i.exec(badge)?.[1] ?? assert.fail(badge);
  return [body.data.some(({ name }) => name === login), card.includes(login), Number(count)];
}

const afterDays = (days: number): number => days * 86_400;

describe('accounts that are hidden at their host', () => {
  it('shows Gitea accounts that are not public only to themselves, from their next mention or the next check on', async () => {
    await withSteppedGitea(async (fixture) => {
      const { service, simulator, people, world, repositories, advance } = fixture;
      simulator.hidden.set(people.max.id, 'private');
      const owner = gitea.entity(engines.name);
      const allContributors = listContributors(world, engines.name) as { login: string }[];
      const visible = allContributors.filter(({ login }) => login !== 'max-member');
      assert.equal(allContributors.length, visible.length + 1);
      await until(async () => {
        const { body } = await service.getComplete(`${owner}/contributors?limit=100`);
        return JSON.stringify(toContributors(body.data)) === JSON.stringify(visible) ? true : undefined;
      }, 'those who are public are listed');
      await untilIdle(service);
      assert.deepEqual(await visibilityIn(service, owner, 'max-member'), [false, false, visible.length]);
      const { body: numbers } = await service.getComplete(`${owner}/contributions`);
      assert.equal(Object(numbers.data[0]?.['contributions'])['issues'], 5);
      // The account is hidden from the owner of the repositories too.
      const owned = tokenIn(await service.get(`${owner}/token`, bearer(simulator.tokens.organization_admin)));
      const { body: own } = await service.getComplete(`${owner}/contributors?limit=100`, bearer(owned));
      assert.ok(own.data.every(({ name }) => name !== 'max-member'));
      // A stranger gets the same response as for a name that no account has.
      const responses = [];
      for (const name of ['max-member', 'nobody-at-all']) {
        for (let count = 0; count < 2; count += 1) {
          const { status, text } = await service.get(gitea.entity(name));
          responses.push([status, text]);
          await untilIdle(service);
        }
      }
      for (const response of responses) assert.deepEqual(response, responses.at(-1));
      assert.equal(responses.at(-1)?.[0], 404);
      // The account itself sees it.
      const ownToken = tokenIn(
        await service.get(`${gitea.entity('max-member')}/token`, bearer(simulator.tokens.organization_member)),
      );
      await untilIdle(service);
      const account = await service.get(gitea.entity('max-member'), bearer(ownToken));
      assert.deepEqual([account.status, account.body.data[0]?.['name']], [200, 'max-member']);
      assert.equal((await service.get(gitea.entity('max-member'))).status, 404);

      const all = listContributors(world, engines.name).length;
      for (const visibility of ['public', 'limited', 'public', 'private', 'public'] as const) {
        simulator.hidden.set(people.max.id, visibility);
        addIssue(world, repositories.handbook, { author: people.max });
        advance(3700);
        const isShown = visibility === 'public';
        const expected = JSON.stringify([isShown, isShown, isShown ? all : all - 1]);
        await until(async () => {
          const visibilities = await visibilityIn(service, owner, 'max-member');
          return JSON.stringify(visibilities) === expected ? true : undefined;
        }, `the account is ${visibility}`);
        await untilIdle(service);
        assert.equal(JSON.stringify(await visibilityIn(service, owner, 'max-member')), expected);
        if (isShown) await gitea.untilResponsesMatchWorld(fixture, 'all numbers are back');
        else assert.equal((await service.get(gitea.entity('max-member'))).status, 404);
      }

      const members = listContributors(world, engines.name).length;
      const check = async (): Promise<void> => {
        await runTask(service, 'check_accounts');
        await untilIdle(service);
      };
      await check();
      const requestCount = simulator.requests.length;
      await check();
      assert.equal(simulator.requests.length, requestCount, 'the host has just reported all accounts as public');
      assert.deepEqual(await visibilityIn(service, owner, 'max-member'), [true, true, members]);
      deleteAccount(world, people.max);
      simulator.hidden.set(people.ada.id, 'private');
      advance(afterDays(8));
      await service.get(`${owner}/badges/community`);
      await check();
      assert.deepEqual(await visibilityIn(service, owner, 'max-member'), [false, false, members - 2]);
      assert.deepEqual(await visibilityIn(service, owner, 'ada-lovelace'), [false, false, members - 2]);
      restoreAccount(world, people.max);
      simulator.hidden.set(people.ada.id, 'public');
      advance(afterDays(8));
      await check();
      assert.deepEqual(await visibilityIn(service, owner, 'max-member'), [true, true, members]);
      await gitea.untilResponsesMatchWorld(fixture, 'all numbers are back');
    });
  });

  it('hides a blocked GitLab account by its mentions and a private profile by the check, and restores both', async () => {
    await withSteppedGitLab(async (fixture) => {
      const { service, simulator, people, world, advance } = fixture;
      const owner = gitlab.entity(engines.name);
      simulator.hidden.blocked.set(people.max.id, 'banned');
      const allContributors = listContributors(world, engines.name) as { login: string }[];
      await until(async () => {
        const { body } = await service.getComplete(`${owner}/contributors?limit=100`);
        const withoutBlocked = allContributors.filter(({ login }) => login !== 'max-member');
        return JSON.stringify(toContributors(body.data)) === JSON.stringify(withoutBlocked) ? true : undefined;
      }, 'all but the blocked account are listed');
      await untilIdle(service);
      simulator.hidden.profiles.add(people.ada.id);
      await runTask(service, 'check_accounts');
      await untilIdle(service);
      const few = allContributors.length - 2;
      assert.deepEqual(await visibilityIn(service, owner, 'ada-lovelace'), [false, false, few]);
      assert.equal((await service.get(gitlab.entity('ada-lovelace'))).status, 404);
      simulator.hidden.profiles.clear();
      simulator.hidden.blocked.clear();
      advance(afterDays(8));
      await runTask(service, 'check_accounts');
      await untilIdle(service);
      assert.deepEqual(await visibilityIn(service, owner, 'ada-lovelace'), [true, true, allContributors.length]);
      await gitlab.untilResponsesMatchWorld(fixture, 'all numbers are back');
    });
  });

  it('removes a deleted GitHub contributor from the lists after one check of many accounts, and restores it later', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 2 });
    await using service = await startSteppedService({ simulator, now });
    const { body } = await service.getComplete(`${engines.name}/contributors?limit=100&bots=false`);
    await untilIdle(service);
    const login = String(body.data[0]?.['name']);
    const account = simulator.world.accountByLogin(login) ?? assert.fail();
    const owner = `/v1/github/entities/${engines.name}`;
    const [, , all] = await visibilityIn(service, owner, login);
    deleteAccount(simulator.world, account);
    const requestCount = simulator.requests.length;
    await runTask(service, 'check_accounts');
    await untilIdle(service);
    const requests = simulator.requests.slice(requestCount).map(({ name }) => name);
    assert.ok(requests.filter((name) => name === 'Accounts').length <= 2, requests.join());
    assert.deepEqual(await visibilityIn(service, owner, login), [false, false, all - 1]);
    restoreAccount(simulator.world, account);
    advance(afterDays(8));
    await runTask(service, 'check_accounts');
    await untilIdle(service);
    assert.deepEqual(await visibilityIn(service, owner, login), [true, true, all]);
  });

  /** Checks that a person leaves the list, the card and the badge of an owner, and the person's own address. */
  async function leavesLists(
    service: TestService,
    { owner, person, login }: { owner: string; person: string; login: string },
    hide: () => Promise<void>,
  ): Promise<void> {
    await service.getComplete(`${owner}/contributors?limit=100`);
    await service.get(person);
    await untilIdle(service);
    assert.equal((await service.get(person)).status, 200);
    const [isListed, isOnCard, all] = await visibilityIn(service, owner, login);
    assert.deepEqual([isListed, isOnCard], [true, true]);
    await hide();
    await untilIdle(service);
    assert.deepEqual(await visibilityIn(service, owner, login), [false, false, all - 1]);
    assert.equal((await service.get(person)).status, 404);
  }

  const atGitea = { owner: gitea.entity(engines.name), person: gitea.entity('max-member'), login: 'max-member' };
  const atGitLab = { owner: gitlab.entity(engines.name), person: gitlab.entity('ada-lovelace'), login: 'ada-lovelace' };

  for (const visibility of ['private', 'limited'] as const) {
    it(`hides a ${visibility} Gitea account when a caller names it, without a check of all`, async () => {
      await withSteppedGitea(async ({ service, simulator, people, advance }) => {
        await leavesLists(service, atGitea, async () => {
          simulator.hidden.set(people.max.id, visibility);
          advance(61);
          await service.get(atGitea.person);
        });
      });
    });
  }

  it('hides a GitLab account with a private profile when a caller names it among contributors', async () => {
    await withSteppedGitLab(async ({ service, simulator, people, advance }) => {
      await leavesLists(service, atGitLab, async () => {
        simulator.hidden.profiles.add(people.ada.id);
        advance(61);
        const { status } = await service.get(`${atGitLab.owner}/contributors/ada-lovelace/evidence`);
        assert.equal(status, 200);
      });
    });
  });

  it('hides a deleted GitHub account when a caller names it, with one request', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 2 });
    await using service = await startSteppedService({ simulator, now });
    const owner = `/v1/github/entities/${engines.name}`;
    const { body } = await service.getComplete(`${owner}/contributors?limit=100&bots=false`);
    const login = String(body.data[0]?.['name']);
    const person = `/v1/github/entities/${login}`;
    await leavesLists(service, { owner, person, login }, async () => {
      deleteAccount(simulator.world, simulator.world.accountByLogin(login) ?? assert.fail());
      advance(61);
      const requestCount = simulator.requests.length;
      for (let times = 0; times < 3; times += 1) await service.get(`${person}?${times}`);
      await untilIdle(service);
      const requests = simulator.requests.slice(requestCount).map(({ name }) => name);
      assert.equal(requests.filter((name) => name === 'Accounts').length, 1, requests.join());
    });
  });

  it('hides people of first pages with the first check after an hour', async () => {
    await withSteppedGitea(async ({ service, simulator, people, advance }) => {
      await leavesLists(service, atGitea, async () => {
        await runTask(service, 'check_accounts');
        simulator.hidden.set(people.max.id, 'private');
        advance(3600);
        await runTask(service, 'check_accounts');
      });
    });
    await withSteppedGitLab(async ({ service, simulator, people, advance }) => {
      await leavesLists(service, atGitLab, async () => {
        await runTask(service, 'check_accounts');
        simulator.hidden.profiles.add(people.ada.id);
        advance(3600);
        await runTask(service, 'check_accounts');
      });
    });
  });

  it('hides no account whose check fails, and hides those that are checked with it', async () => {
    await withSteppedGitLab(async ({ service, simulator, people, advance }) => {
      await leavesLists(service, atGitLab, async () => {
        await runTask(service, 'check_accounts');
        simulator.hidden.profiles.add(people.ada.id);
        simulator.overrides.push((path) =>
          path === `users/${people.max.id}` ? { status: 200, body: { id: 'unreadable' } } : undefined,
        );
        advance(3600);
        await runTask(service, 'check_accounts');
      });
      const { body } = await service.getComplete(`${atGitLab.owner}/contributors?limit=100`);
      assert.ok(body.data.some(({ name }) => name === 'max-member'));
    });
  });

  it('hides a deleted GitHub account when an item of it has no author any more', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 2 });
    await using service = await startSteppedService({ simulator, now });
    const { world } = simulator;
    const owner = `/v1/github/entities/${engines.name}`;
    const issue = world.repository(engines.name, 'engine-1')?.issues.find(({ authorId }) => {
      const author = authorId === null ? undefined : world.accountById(authorId);
      return author?.type === 'User';
    });
    const account = world.accountById(issue?.authorId ?? 0) ?? assert.fail();
    const { login } = account;
    await service.getComplete(`${owner}/contributors?limit=100`);
    await untilIdle(service);
    await runTask(service, 'check_accounts');
    const [isListed, , all] = await visibilityIn(service, owner, login);
    assert.ok(isListed);
    deleteAccount(world, account);
    closeItem(world, issue ?? assert.fail());
    advance(3700);
    await service.get(`${owner}/contributors?limit=100&bots=false`);
    await untilIdle(service);
    assert.deepEqual(await visibilityIn(service, owner, login), [false, false, all - 1]);
  });
});
