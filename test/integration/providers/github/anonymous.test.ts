import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../../simulators/github/simulator.ts';
import { readIssuesByRest } from '../../../../src/hosts/github/anonymous.ts';
import { GitHubClient } from '../../../../src/hosts/github/client.ts';
import type { SkippedPart } from '../../../../src/hosts/interface/call.ts';

describe('GitHub without a credential', () => {
  it('keeps a pull request whose merge cannot be read, and reports it as incomplete', async () => {
    await using simulator = await startSimulator();
    await using ending = new AsyncDisposableStack();
    const client = new GitHubClient({
      apiUrl: simulator.apiUrl,
      tokens: [],
      connectTimeoutMs: 1000,
      now: () => new Date(),
    });
    ending.defer(() => client.close());
    const repository = simulator.world.repository(simulator.accounts.user, 'notes') ?? assert.fail();
    const stored = {
      owner: simulator.accounts.user,
      name: 'notes',
      handle: repository.nodeId,
      defaultBranch: 'main',
      credentialName: null,
    };
    const skipped: SkippedPart[] = [];
    const call = {
      urgency: 'background',
      signal: new AbortController().signal,
      cost: { requests: 0, points: 0 },
      onSkipped: (part: SkippedPart) => void skipped.push(part),
    } as const;
    const read = async (): Promise<(string | Date | null)[][]> => {
      const position = { cursor: null, since: null, pageSize: null, isDeep: false };
      const { contributions } = await readIssuesByRest(client, stored, position, call);
      return contributions.map(({ kind, externalId, mergedAt }) => [kind, externalId, mergedAt]);
    };
    const expected = await read();
    const at = expected.findIndex(([kind, , mergedAt]) => kind === 'pull_request' && mergedAt !== null);
    assert.ok(at >= 0);
    simulator.faults.add({ kind: 'surprise', path: [at, 'pull_request'], value: null });
    const found = await read();
    assert.deepEqual(found[at], [...(expected[at] ?? []).slice(0, 2), null]);
    assert.deepEqual(found.toSpliced(at, 1), expected.toSpliced(at, 1));
    assert.deepEqual(
      skipped.map(({ kind, path, isStored, isCounted }) => ({ kind, path, isStored, isCounted })),
      [{ kind: 'issue_or_pull_request', path: '/*/pull_request', isStored: true, isCounted: false }],
    );
  });
});
