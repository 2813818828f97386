import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { addIssue } from '../../../simulators/world/activity.ts';
import { countersOf } from '../../../simulators/world/expected-totals.ts';
import { clock, until } from '../../time.ts';
import { startTestService } from '../service.ts';
import { shareService } from '../shared-service.ts';

describe('counters', () => {
  const shared = shareService();

  it('fetches the true counters of an account of ten years with one request', async () => {
    await using simulator = await startSimulator();
    await using service = await startTestService({ simulator });
    const { status, body } = await service.get(`${simulator.accounts.user}/contributions`);
    assert.equal(status, 200);
    assert.equal(body.meta_data.complete, true);
    assert.deepEqual(body.data[0]?.['contributions'], countersOf(simulator.world, simulator.accounts.user));
    assert.deepEqual(
      simulator.requests.map(({ name, cost }) => [name, cost]),
      [['Account', 1]],
    );
  });

  it('returns the type, names and counters of every account as they are at the provider', async () => {
    const logins = shared.simulator.world.accounts
      .filter(
        ({ type, isDeleted, nextLogin }) => (type === 'User' || type === 'Bot') && !isDeleted && nextLogin === null,
      )
      .map(({ login }) => login);
    for (const login of logins) {
      const account = shared.simulator.world.accountByLogin(login);
      const { body } = await shared.service.get(`${encodeURIComponent(login)}/contributions`);
      const [entity] = body.data;
      assert.equal(entity?.['name'], login);
      assert.equal(entity['type'], account?.type.toLowerCase());
      assert.equal(entity['display_name'], account?.name ?? '');
      if (account?.type === 'User') {
        assert.deepEqual(entity['contributions'], countersOf(shared.simulator.world, login), login);
        assert.equal(body.meta_data.complete, true);
      } else {
        assert.ok(body.meta_data.missing?.includes('commits'));
      }
    }
  });

  it('fetches a heavy account in smaller pieces and returns true totals', async () => {
    await shared.service.get(`${shared.simulator.accounts.heavy}/contributions`);
    const { body } = await shared.service.getComplete(`${shared.simulator.accounts.heavy}/contributions`);
    assert.deepEqual(
      body.data[0]?.['contributions'],
      countersOf(shared.simulator.world, shared.simulator.accounts.heavy),
    );
    assert.ok(shared.simulator.requests.some(({ status }) => status === 502));
  });

  it('lists an unknown counter as missing instead of counting it as zero', async () => {
    await using simulator = await startSimulator({ heavyLimit: 0 });
    await using service = await startTestService({ simulator });
    const response = await until(async () => {
      const seen = await service.get(`${simulator.accounts.heavy}/contributions`);
      return seen.status === 200 && seen.body.meta_data.missing?.includes('stars') === false ? seen : undefined;
    }, 'the totals are there');
    const expected = countersOf(simulator.world, simulator.accounts.heavy);
    const contributions = response.body.data[0]?.['contributions'] as Record<string, number>;
    assert.equal(response.body.meta_data.complete, false);
    assert.ok(response.body.meta_data.missing?.includes('commits'));
    assert.equal(contributions['issues'], expected.issues);
  });

  it('includes only public contributions in counters, with any token', async () => {
    for (const tokens of [['user'], ['public_only'], ['user', 'public_only'], ['private_owner']] as const) {
      await using simulator = await startSimulator();
      await using service = await startTestService({ simulator, tokens: [...tokens] });
      for (const login of [simulator.accounts.user, simulator.accounts.private_owner]) {
        const { body, text } = await service.getComplete(`${login}/contributions`);
        assert.deepEqual(
          body.data[0]?.['contributions'],
          countersOf(simulator.world, login),
          `${tokens.join()} ${login}`,
        );
        assert.equal(body.meta_data.includes_private, false);
        assert.doesNotMatch(text, /vault|drafts|diary/);
      }
    }
  });

  it('uses several tokens in turn, and continues with the others when the quota of one is used up', async () => {
    await using simulator = await startSimulator({ limits: { graphql: 5 } });
    await using service = await startTestService({ simulator, tokens: ['public_only', 'second_public_only'] });
    const people = Array.from({ length: 8 }, (_, index) => `person-${index + 1}`);
    for (const login of people) assert.equal((await service.get(login)).status, 200, login);
    const used = new Set(simulator.requests.map(({ token }) => token));
    assert.deepEqual(used, new Set(['public_only', 'second_public_only']));
    // The last point of each token is for more urgent requests.
    assert.equal((await service.get('person-9')).status, 202);
  });

  it('takes counters from REST without a token, and lists the others as missing', async () => {
    await using simulator = await startSimulator();
    await using service = await startTestService({ simulator, tokens: [] });
    const { status, body } = await service.get(`${simulator.accounts.user}/contributions`);
    assert.equal(status, 200);
    assert.deepEqual(
      new Set(body.meta_data.missing),
      new Set(['commits', 'reviews', 'contributed_to', 'discussions', 'discussions_answered', 'experience', 'level']),
    );
    const expected = countersOf(simulator.world, simulator.accounts.user);
    const contributions = body.data[0]?.['contributions'] as Record<string, number>;
    for (const name of ['issues', 'issues_closed', 'pull_requests', 'pull_requests_merged', 'stars'] as const) {
      assert.equal(contributions[name], expected[name], name);
    }
    assert.ok(simulator.requests.every(({ name }) => !name.startsWith('Account')));
  });

  it('returns a history from endpoint 2, with one item a day, newest first, in pages', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now });
    await using service = await startTestService({ simulator, now });
    const { world, accounts } = simulator;
    const author = world.accountByLogin(accounts.user) ?? assert.fail();
    const repository = world.repository(accounts.user, 'notes') ?? assert.fail();
    const issues: number[] = [];
    for (let day = 0; day < 5; day += 1) {
      issues.unshift(countersOf(world, accounts.user).issues);
      await until(async () => {
        const { body } = await service.get(`${accounts.user}/contributions`);
        return (body.data[0]?.['contributions'] as { issues: number } | undefined)?.issues === issues[0]
          ? true
          : undefined;
      }, 'today is counted');
      addIssue(world, repository, { author });
      advance(86_400);
    }
    const seen: number[] = [];
    let path = `${accounts.user}/contributions?limit=2`;
    for (;;) {
      const { body } = await service.get(path);
      seen.push(...body.data.map((entity) => (entity['contributions'] as { issues: number }).issues));
      if (body.next_cursor === undefined) break;
      path = `${accounts.user}/contributions?limit=2&after=${encodeURIComponent(body.next_cursor)}`;
    }
    assert.deepEqual(seen.slice(-5), issues);
  });
});
