import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Counter, Registry } from 'prom-client';
import { registerLookupMetrics } from '../../../src/database/connections/metrics.ts';
import { openTestDatabase } from '../../database.ts';
import { clock } from '../../time.ts';
import { address, claimAll, fill, minuteMs, visitor } from '../database/claims.ts';

describe('metric of delayed lookups', () => {
  it('counts them by reason, and stays away without the database, beside the other metrics', async () => {
    const { now } = clock();
    await using opened = await openTestDatabase();
    const { connection } = opened.database;
    const registry = new Registry();
    const otherMetric = new Counter({ name: 'other_total', help: 'Another metric.', registers: [registry] });
    otherMetric.inc();
    registerLookupMetrics(registry, connection, now);
    const read = async (): Promise<string[]> =>
      (await registry.metrics()).split('\n').filter((line) => /^[a-z]/.test(line));
    assert.deepEqual(await read(), [
      'other_total 1',
      'plaudit_delayed_lookups{reason="allowance"} 0',
      'plaudit_delayed_lookups{reason="quota"} 0',
    ]);
    await claimAll(connection, ['a', 'b', 'c', 'd'], now(), visitor(address()));
    await fill(opened.database, new Date(now().getTime() + minuteMs), 10);
    assert.deepEqual(await read(), [
      'other_total 1',
      'plaudit_delayed_lookups{reason="allowance"} 2',
      'plaudit_delayed_lookups{reason="quota"} 990',
    ]);
    await opened.database.pool.query('alter table lookups rename to away');
    assert.deepEqual(await read(), ['other_total 1']);
  });
});
