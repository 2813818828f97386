import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { countersOf } from '../../../simulators/world/expected-totals.ts';
import { startTestService } from '../service.ts';

describe('counters', () => {
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
});
