import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startGiteaSimulator } from '../../../../simulators/gitea/simulator.ts';
import type { SkippedPart } from '../../../../src/providers/call.ts';
import { createContractWorld } from '../../../contract/world.ts';
import { call, giteaProvider } from './gitea-provider.ts';

describe('unexpected items of Gitea', () => {
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
    const owner = {
      externalId: String(organization.id),
      handle: '',
      type: 'organization',
      name: organization.login,
      memory: null,
    } as const;
    const skipped: SkippedPart[] = [];
    const watched = call({ onSkipped: (part) => void skipped.push(part) });
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
});
