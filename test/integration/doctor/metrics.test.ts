import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { registerDelayMetrics } from '../../../src/app/metrics.ts';
import { openTestDatabase } from '../../database.ts';
import { storeDelivery, storeRepository } from './store-faults.ts';

const hourS = 3600;

describe('metrics of delays', () => {
  it('report the deliveries and the poll that have waited longest, by provider', async () => {
    await using opened = await openTestDatabase();
    const { connection } = opened.database;
    const registry = new Registry();
    const providers = ['github', 'gitea'];
    registerDelayMetrics(registry, { connection, providers, now: () => new Date() });
    const read = async (name: string): Promise<number[]> => {
      const lines = (await registry.metrics()).split('\n');
      return providers.map((provider) => {
        const found = lines.find((line) => line.startsWith(`${name}{provider="${provider}"} `));
        return Number(found?.split(' ').at(-1));
      });
    };
    const hours = async (name: string): Promise<number[]> =>
      (await read(name)).map((seconds) => Math.floor(seconds / hourS));
    assert.deepEqual(await read('plaudit_deliveries_pending'), [0, 0]);
    assert.deepEqual(await read('plaudit_polls_overdue_seconds'), [0, 0]);

    await storeDelivery(connection, { id: 'applied', hoursAgo: 9, isApplied: true });
    await storeDelivery(connection, { id: 'failed', hoursAgo: 7, attempts: 100 });
    await storeDelivery(connection, { id: 'old', hoursAgo: 3 });
    await storeDelivery(connection, { id: 'new', hoursAgo: 1 });
    const repository = await storeRepository(connection, { name: 'engine' });
    await storeRepository(connection, { name: 'notes' });
    await sql`
      update repository_polls set next_at = now() - interval '5 hours'
      where repository_id = ${repository}`.execute(connection);

    assert.deepEqual(await read('plaudit_deliveries_pending'), [2, 0]);
    assert.deepEqual(await read('plaudit_deliveries_failed'), [1, 0]);
    assert.deepEqual(await hours('plaudit_deliveries_longest_wait_seconds'), [3, 0]);
    assert.deepEqual(await hours('plaudit_polls_overdue_seconds'), [5, 0]);
  });
});
