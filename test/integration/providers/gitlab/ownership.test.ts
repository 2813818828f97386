import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startGitLabSimulator } from '../../../../simulators/gitlab/simulator.ts';
import type { Membership } from '../../../../simulators/world/model.ts';
import { addAccount } from '../../../../simulators/world/people.ts';
import { newCall } from '../../../contract/host.ts';
import { createContractWorld } from '../../../contract/world.ts';
import { gitlabProvider } from './gitlab-provider.ts';

describe('ownership at GitLab', () => {
  /** Tests proofs of ownership; the rules that all hosts share are in the contract. */

  it('proves a group for its owner, but not for a maintainer or a pending member', async () => {
    const { world, organization, people, now } = createContractWorld();
    await using simulator = await startGitLabSimulator({ world });
    await using provider = gitlabProvider(simulator, { now });
    const { signal } = new AbortController();
    const prove = () => provider.ownership.prove(simulator.tokens.organization_admin, organization.login, signal);
    const membership = world.membership(organization.id, people.olive.id);
    assert.ok(membership);
    const { owned, bearer } = await prove();
    assert.deepEqual([owned?.externalId, bearer.externalId], [`group:${organization.id}`, String(people.olive.id)]);
    const others: Partial<Membership>[] = [{ role: 'member' }, { role: 'admin', state: 'pending' }];
    for (const less of others) {
      Object.assign(membership, less);
      assert.equal((await prove()).owned, null);
    }
  });

  it('refuses an id or a path in place of the name of a group', async () => {
    const { world, organization, now } = createContractWorld();
    await using simulator = await startGitLabSimulator({ world });
    await using provider = gitlabProvider(simulator, { now });
    const { signal } = new AbortController();
    const prove = (name: string) => provider.ownership.prove(simulator.tokens.organization_admin, name, signal);
    // GitLab would find the group by its id, too.
    assert.equal((await prove(String(organization.id))).owned, null);
    for (const name of ['../user', 'a//b', `${organization.login}/..`]) assert.equal((await prove(name)).owned, null);
    assert.ok(simulator.requests.every((request) => !request.includes('..')));
  });

  it('sends two requests for a proof of a group, a user or an unknown name', async () => {
    const { world, organization, now } = createContractWorld();
    await using simulator = await startGitLabSimulator({ world });
    await using provider = gitlabProvider(simulator, { now });
    const { signal } = new AbortController();
    for (const name of [organization.login, 'max-member', 'nobody-at-all']) {
      const before = simulator.requests.length;
      await provider.ownership.prove(simulator.tokens.user, name, signal);
      assert.equal(simulator.requests.length - before, 2, name);
    }
  });

  it('takes no absence from the members for a removal, unless the token sees all members', async () => {
    const { world, organization, people, now } = createContractWorld();
    await using simulator = await startGitLabSimulator({ world });
    const stored = { externalId: `group:${organization.id}`, name: organization.login };
    for (const [token, expected] of [
      ['user', 'cannot_check'],
      ['organization_member', 'no'],
      ['organization_admin', 'no'],
    ] as const) {
      await using provider = gitlabProvider(simulator, { now, tokens: [simulator.tokens[token]] });
      const check = () => provider.ownership.administers?.(stored, '424242', newCall());
      assert.equal(await check(), expected, token);
    }
    await using provider = gitlabProvider(simulator, { now, tokens: [simulator.tokens.user] });
    // The bearer of a token sees all memberships of their own, so that an absent one is a removal.
    assert.equal(await provider.ownership.administers?.(stored, String(people.ada.id), newCall()), 'no');
    assert.equal(await provider.ownership.administers?.(stored, String(people.olive.id), newCall()), 'yes');
    simulator.narrowTokens.add('user');
    assert.equal(await provider.ownership.administers?.(stored, String(people.olive.id), newCall()), 'cannot_check');
  });

  it('finds the owner of a group above', async () => {
    const { world, organization, people, now } = createContractWorld();
    const login = `${organization.login}/looms`;
    const looms = addAccount(world, { type: 'Organization', login, createdAt: now() });
    await using simulator = await startGitLabSimulator({ world });
    await using provider = gitlabProvider(simulator, { now, tokens: [simulator.tokens.organization_member] });
    const stored = { externalId: `group:${looms.id}`, name: login };
    assert.equal(await provider.ownership.administers?.(stored, String(people.olive.id), newCall()), 'yes');
    assert.equal(await provider.ownership.administers?.(stored, String(people.max.id), newCall()), 'no');
  });
});
