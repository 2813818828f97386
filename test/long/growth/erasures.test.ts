import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isOnCluster, openTestDatabase } from '../../database.ts';
import { begin, fill } from '../../integration/access/large-account.ts';
import { analyzeTables, watchPlans } from '../../integration/plans.ts';

describe('the transaction that begins the erasure of an account', { skip: isOnCluster }, () => {
  it('costs as much with many rows as with some', async () => {
    const costs: number[] = [];
    for (const count of [150, 1500]) {
      await using opened = await openTestDatabase();
      const { database } = opened;
      const { person } = await fill(database, count);
      await analyzeTables(database);
      const ran = await watchPlans(database, (connection) => begin(connection, person));
      costs.push(ran.reduce((sum, { blocks }) => sum + blocks, 0));
    }
    const [some = 0, many = 0] = costs;
    assert.ok(many < some * 1.2, `${some} blocks with 150 rows, and ${many} with 1,500`);
  });
});
