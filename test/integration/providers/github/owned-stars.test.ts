import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../../simulators/github/simulator.ts';
import { toCounters } from '../../../../simulators/world/expected-totals.ts';
import { reportAccount } from '../../../../src/hosts/github/accounts.ts';
import { GitHubClient } from '../../../../src/hosts/github/client.ts';

describe('sum of the stars of owned repositories', () => {
  it('counts a repository once that is on a page twice', async () => {
    await using simulator = await startSimulator();
    await using ending = new AsyncDisposableStack();
    const now = (): Date => new Date();
    const tokens = [simulator.tokens.public_only];
    const client = new GitHubClient({ apiUrl: simulator.apiUrl, tokens, connectTimeoutMs: 1000, now });
    ending.defer(() => client.close());
    const { signal } = new AbortController();
    const call = { urgency: 'interactive', signal, cost: { requests: 0, points: 0 } } as const;
    const name = simulator.accounts.user;
    const expected = toCounters(simulator.world, name)?.stars;
    assert.ok(expected !== undefined && expected > 0, String(expected));
    for (const isRepeated of [false, true]) {
      if (isRepeated) simulator.faults.add({ kind: 'repeated', times: 1000 });
      let stars: number | null | undefined;
      const target = { name, handle: undefined, counting: 'public' } as const;
      for await (const { counters } of reportAccount(client, target, null, call, now())) ({ stars } = counters);
      assert.equal(stars, expected);
    }
  });
});
