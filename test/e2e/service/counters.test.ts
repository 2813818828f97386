import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { countersOf } from '../../../simulators/world/expected-totals.ts';
import { until } from '../../time.ts';
import { startTestService } from '../service.ts';
import { shareService } from '../shared-service.ts';

describe('counters', () => {
  // Lookups end within the request also on a slow machine.
  const shared = shareService({ service: { settings: { LOOKUP_BUDGET_MS: '30000' } } });

  it('are fetched with one request where GitHub can compute them, in pieces elsewhere, and are true', async () => {
    const { simulator, service } = shared;
    const { status, body } = await service.get(`${simulator.accounts.user}/contributions`);
    assert.equal(status, 200);
    assert.equal(body.meta_data.complete, true);
    assert.deepEqual(body.data[0]?.['contributions'], countersOf(simulator.world, simulator.accounts.user));
    assert.deepEqual(
      simulator.requests.map(({ name, cost }) => [name, cost]),
      [['Account', 1]],
    );
    await shared.service.get(`${shared.simulator.accounts.heavy}/contributions`);
    const heavy = await shared.service.getComplete(`${shared.simulator.accounts.heavy}/contributions`);
    assert.deepEqual(
      heavy.body.data[0]?.['contributions'],
      countersOf(shared.simulator.world, shared.simulator.accounts.heavy),
    );
    assert.ok(shared.simulator.requests.some(({ status }) => status === 502));
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

  it('are listed as missing where GitHub cannot count them, and not counted as zero', async () => {
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

  it('are taken from REST without a token, and the others are listed as missing', async () => {
    await using simulator = await startSimulator();
    await using service = await startTestService({ simulator, tokens: [], settings: { LOOKUP_BUDGET_MS: '30000' } });
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
});
