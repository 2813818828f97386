import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { toCounters } from '../../../simulators/world/expected-totals.ts';
import { startSteppedService } from './stepped-service.ts';

describe('collecting without a token', () => {
  it('takes counters and contributors from REST, and lists the others as missing', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startSteppedService({ simulator, tokens: [] });
    const { user } = simulator.accounts;
    const { status, body } = await service.getAfterWork(`${user}/contributions`);
    assert.equal(status, 200);
    assert.deepEqual(
      new Set(body.meta_data.missing),
      new Set(['commits', 'reviews', 'contributed_to', 'discussions', 'discussions_answered', 'experience', 'level']),
    );
    const expected = toCounters(simulator.world, user);
    const contributions = body.data[0]?.['contributions'] as Record<string, number>;
    for (const name of ['issues', 'issues_closed', 'pull_requests', 'pull_requests_merged', 'stars'] as const) {
      assert.equal(contributions[name], expected[name], name);
    }
    assert.ok(simulator.requests.every(({ name }) => !name.startsWith('Account')));

    const path = `${user}/contributors?repository=notes&limit=100`;
    await service.getAfterWork(path);
    const people = await service.getAfterWork(path);
    assert.equal(people.status, 200);
    assert.deepEqual(people.body.meta_data.missing, ['reviews', 'discussions']);
    assert.ok(people.body.data.length > 5);
  });
});
