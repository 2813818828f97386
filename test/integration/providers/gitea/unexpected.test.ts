import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startGiteaSimulator } from '../../../../simulators/gitea/simulator.ts';
import { addComment } from '../../../../simulators/world/comments.ts';
import type { SkippedPart } from '../../../../src/hosts/interface/call.ts';
import { hasParts, knownAccount, knownRepository, newCall } from '../../../contract/host.ts';
import { createContractWorld } from '../../../contract/world.ts';
import { giteaProvider } from './gitea-provider.ts';

describe('tolerance of unexpected items of Gitea', () => {
  it('leaves out a repository whose owner cannot be read, and lists the others', async () => {
    const { world, now, organization, repositories } = createContractWorld();
    await using simulator = await startGiteaSimulator({
      world,
      rewrite: ({ operation, body }) => {
        if (operation !== '/orgs/{org}/repos') return body;
        const list = structuredClone(body) as { id: number; owner: { id: number } }[];
        for (const { id, owner } of list) if (id === repositories.handbook.id) owner.id = 2 ** 53;
        return list;
      },
    });
    await using provider = giteaProvider(simulator, { now });
    const owner = await knownAccount(provider, organization.login);
    const skipped: SkippedPart[] = [];
    const watched = newCall({ onSkipped: (part) => void skipped.push(part) });
    const page = await provider.repositories.list(owner, null, watched);
    assert.deepEqual(
      page?.repositories.map(({ name }) => name),
      [repositories.empty.name],
    );
    assert.deepEqual(
      skipped.map(({ kind, path, isStored }) => [kind, path, isStored]),
      [['repository', '/*/owner/id', false]],
    );
  });

  it('leaves out a comment whose addresses do not show its kind, and reads the others', async () => {
    const { world, now, repositories, issues } = createContractWorld();
    const [issue] = issues;
    assert.ok(issue);
    for (let count = 0; count < 2; count += 1) addComment(world, issue, { author: world.accounts[0] ?? assert.fail() });
    let changed = 0;
    await using simulator = await startGiteaSimulator({
      world,
      rewrite: ({ operation, body }) => {
        if (operation !== '/repos/{owner}/{repo}/issues/comments') return body;
        const list = structuredClone(body) as { id: number; issue_url: string; pull_request_url: string }[];
        const [first] = list;
        if (first !== undefined) Object.assign(first, { issue_url: '', pull_request_url: '' });
        changed = list.length;
        return list;
      },
    });
    await using provider = giteaProvider(simulator, { now });
    const skipped: SkippedPart[] = [];
    const watched = newCall({ onSkipped: (part) => void skipped.push(part) });
    const repository = await knownRepository({ provider, world }, repositories.handbook);
    assert.ok(hasParts(provider, ['streams']));
    const position = { cursor: null, since: null, pageSize: null, isDeep: false };
    const page = await provider.streams.read('comments', repository, position, watched);
    assert.equal(page.contributions.length, changed - 1);
    assert.deepEqual(
      skipped.map(({ kind, isStored, isCounted }) => [kind, isStored, isCounted]),
      [['comment', false, false]],
    );
  });
});
