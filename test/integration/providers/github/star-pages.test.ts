import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../../simulators/github/simulator.ts';
import { star, unstar } from '../../../../simulators/world/repository-changes.ts';
import { GitHubClient } from '../../../../src/hosts/github/client.ts';
import { readStars } from '../../../../src/hosts/github/streams/streams.ts';

describe('the list of stars', () => {
  it('ends when its last page became empty, and is not taken for withheld', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using ending = new AsyncDisposableStack();
    const toClient = (token: string): GitHubClient => {
      const options = { apiUrl: simulator.apiUrl, tokens: [token], connectTimeoutMs: 1000, now: () => new Date() };
      const client = new GitHubClient(options);
      ending.defer(() => client.close());
      return client;
    };
    const { world, accounts, tokens } = simulator;
    const repository = world.repository(accounts.organization, 'engine-1') ?? assert.fail();
    repository.stars = [];
    const [first, second] = world.accounts.filter(({ type, isDeleted }) => type === 'User' && !isDeleted);
    if (first === undefined || second === undefined) assert.fail();
    star(world, repository, first, new Date('2026-06-01T00:00:00Z'));
    star(world, repository, second, new Date('2026-06-02T00:00:00Z'));
    const read = (token: string, cursor: string | null) =>
      readStars(
        toClient(token),
        {
          owner: accounts.organization,
          name: repository.name,
          handle: repository.nodeId,
          defaultBranch: 'main',
          credentialName: null,
        },
        { cursor, since: null, pageSize: 1, isDeep: true },
        { urgency: 'background', signal: new AbortController().signal, cost: { requests: 0, points: 0 } },
      );
    const newest = await read(tokens.organization_admin, null);
    assert.deepEqual(
      newest.contributions.map(({ externalId }) => externalId),
      [String(second.id)],
    );
    unstar(world, repository, first);
    const last = await read(tokens.organization_admin, newest.nextCursor);
    assert.deepEqual([last.contributions, last.nextCursor, last.isWithheld], [[], null, undefined]);
    const hidden = await read(tokens.outsider, newest.nextCursor);
    assert.equal(hidden.isWithheld, true, 'the account lost its access between two pages');
  });
});
