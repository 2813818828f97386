import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createContractWorld } from '../../contract/world.ts';
import type { Membership } from '../../github/world/model.ts';
import { gitlabProvider } from '../../gitlab/asking.ts';
import { startGitLabSimulator } from '../../gitlab/simulator.ts';

/** Who owns what. The rules that all hosts share are in the contract. */

test('an owner of a group proves it; who waits to be let in, or maintains it, does not', async () => {
  const { world, organization, people, now } = createContractWorld();
  await using simulator = await startGitLabSimulator({ world });
  await using provider = gitlabProvider(simulator, { now });
  const { signal } = new AbortController();
  const prove = () => provider.proveOwnership(simulator.tokens.organization_admin, organization.login, signal);
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

test('the group is the one that GitLab means by the name', async () => {
  const { world, organization, now } = createContractWorld();
  await using simulator = await startGitLabSimulator({ world });
  await using provider = gitlabProvider(simulator, { now });
  const { signal } = new AbortController();
  const prove = (name: string) => provider.proveOwnership(simulator.tokens.organization_admin, name, signal);
  // By its number it would be found, too.
  assert.equal((await prove(String(organization.id))).owned, null);
  for (const name of ['../user', 'a//b', `${organization.login}/..`]) assert.equal((await prove(name)).owned, null);
  assert.ok(simulator.requests.every((request) => !request.includes('..')));
});

test('users and strangers cost the same two questions', async () => {
  const { world, organization, now } = createContractWorld();
  await using simulator = await startGitLabSimulator({ world });
  await using provider = gitlabProvider(simulator, { now });
  const { signal } = new AbortController();
  for (const name of [organization.login, 'max-member', 'nobody-at-all']) {
    const before = simulator.requests.length;
    await provider.proveOwnership(simulator.tokens.user, name, signal);
    assert.equal(simulator.requests.length - before, 2, name);
  }
});
