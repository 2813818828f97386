import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type RejectionCount, Rejections } from '../../../src/sync/deliveries/rejection-store.ts';
import { clock } from '../../time.ts';

describe('counts of rejected deliveries', () => {
  it('loses no counts when the database is unavailable for a while', async () => {
    const failures: unknown[] = [];
    const kept: RejectionCount[][] = [];
    let isAway = true;
    const { promise: hasFailed, resolve: fail } = Promise.withResolvers<void>();
    const rejections = new Rejections({
      now: clock().now,
      storeEveryMs: 1,
      store: async (counts) => {
        if (isAway) throw new Error('away');
        kept.push([...counts]);
      },
      onFailure: (error) => {
        failures.push(error);
        fail();
      },
    });
    rejections.add('github', 'signature');
    await hasFailed;
    isAway = false;
    rejections.add('github', 'signature');
    await rejections.close();
    assert.equal(failures.length, 1);
    assert.deepEqual(
      kept.flat().map(({ reason, count }) => [reason, count]),
      [['signature', 2]],
    );
  });
});
