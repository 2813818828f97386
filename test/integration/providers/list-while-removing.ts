import assert from 'node:assert/strict';
import { addRepository } from '../../../simulators/world/activity.ts';
import type { KnownAccount, ProviderWith } from '../../../src/hosts/interface/provider.ts';
import { newCall } from '../../contract/host.ts';
import type { ContractWorld } from '../../contract/world.ts';

/** Asserts that a long list of repositories contains all that remain, while others are removed after its first pages. */
export async function assertListedWhileRemoving(
  { world, organization, provider, now }: ContractWorld & { provider: ProviderWith<never> },
  owner: KnownAccount,
): Promise<void> {
  for (let count = 0; count < 9; count += 1) {
    addRepository(world, { ownerId: organization.id, name: `part-${count}`, createdAt: now() });
  }
  const listed = new Set<string>();
  let cursor: string | null = null;
  let removals = 0;
  do {
    const page = await provider.repositories.list(owner, cursor, newCall());
    for (const { name } of page.repositories) listed.add(name);
    if (removals < 3) {
      const removedIndex = world.repositories.findIndex(({ name }) => name === `part-${removals}`);
      world.repositories.splice(removedIndex, 1);
      world.markChanged();
      removals += 1;
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
  for (const name of ['handbook', 'empty', 'part-3', 'part-5', 'part-8']) assert.ok(listed.has(name), name);
  assert.ok(!listed.has('secret-plans'));
}
