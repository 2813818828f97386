import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addRejections, findRejections, Rejections } from '../../../src/sync/deliveries/rejection-store.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { clock } from '../../time.ts';

describe('counts of rejected deliveries', () => {
  it('executes one statement per interval, however many deliveries are rejected', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const time = clock();
    const { promise: isStored, resolve: stored } = Promise.withResolvers<void>();
    let statements = 0;
    const rejections = new Rejections({
      now: time.now,
      storeEveryMs: 1,
      store: async (counts) => {
        statements += 1;
        await addRejections(connection, counts);
        stored();
      },
      onFailure: (error) => assert.fail(String(error)),
    });
    const first = time.now();
    for (let count = 0; count < 100_000; count += 1)
      rejections.add('github', count % 2 === 0 ? 'signature' : 'payload');
    await isStored;
    assert.equal(statements, 1);
    time.advance(60);
    rejections.add('github', 'signature');
    await rejections.close();
    assert.equal(statements, 2);
    const counts = await findRejections(connection);
    assert.deepEqual(
      counts.map(({ reason, count, firstAt, lastAt }) => ({ reason, count, firstAt, lastAt })),
      [
        { reason: 'signature', count: 50_001, firstAt: first, lastAt: time.now() },
        { reason: 'payload', count: 50_000, firstAt: first, lastAt: first },
      ],
    );
  });
});
