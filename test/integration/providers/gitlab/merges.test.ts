import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startGitLabSimulator } from '../../../../simulators/gitlab/simulator.ts';
import { newCall } from '../../../contract/host.ts';
import { createContractWorld, toHandbook } from '../../../contract/world.ts';
import { gitlabProvider } from './gitlab-provider.ts';

interface MergeRequest {
  id: number;
  author: object;
  merged_at: string | null;
  merge_user: object | null;
}

describe('merges in merge requests of GitLab', () => {
  it('have a merger only where the merge request is merged, not where it is set to auto-merge', async () => {
    const scene = createContractWorld();
    await using simulator = await startGitLabSimulator({
      world: scene.world,
      rewrite: ({ operation, body }) =>
        operation.endsWith('/merge_requests')
          ? (body as MergeRequest[]).map((one) => Object.assign(one, { merge_user: one.merge_user ?? one.author }))
          : body,
    });
    await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.user], now: scene.now });
    const position = { cursor: null, since: null, pageSize: null, isDeep: true };
    const { contributions } = await provider.streams.read('pull_requests', toHandbook(scene), position, newCall());
    const pulls = contributions.filter(({ kind }) => kind === 'pull_request');
    const mergers = (isMerged: boolean): (string | null | undefined)[] =>
      pulls.filter(({ mergedAt }) => (mergedAt !== null) === isMerged).map(({ details }) => details?.mergedBy);
    assert.ok(mergers(true).length > 0 && mergers(true).every((merger) => typeof merger === 'string'));
    assert.ok(mergers(false).length > 0 && mergers(false).every((merger) => merger === null));
  });
});
