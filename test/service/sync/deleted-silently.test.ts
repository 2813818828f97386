import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { addIssue, addPullRequest, addRepository } from '../../../simulators/world/activity.ts';
import { deleteItem } from '../../../simulators/world/mutations.ts';
import { addAccount } from '../../../simulators/world/people.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import type { TestService } from '../../e2e/service.ts';
import { clock } from '../../time.ts';
import type { Listed } from '../windows/listed-evidence.ts';
import { startSteppedService } from './stepped-service.ts';

const windows = ['', '?since=2000-01-01', '?period=2024'];

/** Returns a counter of paula at its addresses, with its remainder, and `missing` where it is incomplete. */
async function readNumbers(service: TestService, counter: string): Promise<string[]> {
  const found: string[] = [];
  for (const window of windows) {
    const { body } = await service.get(`paula/contributions${window}`);
    const numbers = body.data[0]?.['contributions'] as Record<string, number>;
    found.push(`${numbers[counter]}${body.meta_data.missing?.includes(counter) ? ' missing' : ''}`);
    const evidence = await service.get(`paula/contributions/${counter}${window}`);
    const { meta_data: listed } = JSON.parse(evidence.text) as Listed;
    assert.deepEqual(listed.remainder, {});
    assert.equal(listed.total, listed.itemised);
    found.push(`${listed.total}${listed.missing?.includes(counter) ? ' missing' : ''}`);
  }
  return [...new Set(found)];
}

describe('items that the host deletes without an event', () => {
  for (const kind of ['issues', 'pull_requests'] as const) {
    it(`are read again where the lifetime total of ${kind} is less than the stored one`, async () => {
      const { now, advance } = clock();
      await using simulator = await startSimulator({ now, repositories: 1 });
      const { world } = simulator;
      const [otto, paula] = ['otto', 'paula'].map((login) =>
        addAccount(world, { login, createdAt: new Date('2015-01-01T00:00:00Z'), emails: [`${login}@mail.example`] }),
      );
      assert.ok(otto && paula);
      const createdAt = new Date('2024-05-02T10:00:00Z');
      const repository = addRepository(world, { ownerId: otto.id, name: 'tools', createdAt });
      const add = kind === 'issues' ? addIssue : addPullRequest;
      const [first] = [1, 2, 3].map(() => add(world, repository, { author: paula, createdAt }));
      assert.ok(first);
      let afterJob = async (): Promise<void> => {};
      await using service = await startSteppedService({ simulator, now, afterJob: () => afterJob() });
      await service.getComplete('otto/contributors');
      await service.getAfterWork('paula/contributions');
      await untilIdle(service);
      assert.deepEqual(await readNumbers(service, kind), ['3']);

      deleteItem(world, repository, first);
      advance(3601);
      await service.getAfterWork('paula/contributions');
      // Only the owner's listing will show which repository has less.
      assert.deepEqual(await readNumbers(service.asIs, kind), ['3']);

      await service.getAfterWork('otto/contributors');
      assert.deepEqual(await readNumbers(service.asIs, kind), ['3']);
      const shown = new Set<string>();
      afterJob = async () => {
        const numbers = await readNumbers(service.asIs, kind);
        assert.equal(numbers.length, 1, `the addresses show ${numbers.join(' and ')}`);
        for (const number of numbers) shown.add(number);
      };
      advance(3601);
      await service.getAfterWork('paula/contributions');
      await untilIdle(service);
      assert.deepEqual([...shown], ['3 missing', '2']);
      assert.deepEqual(await readNumbers(service, kind), ['2']);
    });
  }
});
