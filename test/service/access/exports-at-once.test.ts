import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bearer, keeper, serviceToken } from '../../integration/access/owner.ts';
import { until } from '../../time.ts';
import { shareStoredService } from '../http/stored-service.ts';

/** Exports wait for a lock on the primary, where the test sees them; a pooler would hide that they wait. */
const settings = { REQUEST_CONNECTIONS: '12', DATABASE_REPLICA_URL: '' };
const skip = process.env['TEST_POOLER_URL'] !== undefined;

describe('exports at a time', () => {
  const shared = shareStoredService({ service: { settings } });

  it('are at most two, also of requests that arrive together', { skip }, async () => {
    const { service, simulator } = shared;
    const init = bearer(await serviceToken(service, simulator, keeper));
    const { pool } = service.database;
    const refusals: string[] = [];
    const get = async (): Promise<number> => {
      const { status, text } = await service.get(`${keeper.name}/export`, init);
      if (status !== 200) refusals.push(text);
      return status;
    };
    const countWaiting = async (): Promise<number> => {
      const { rows } = await pool.query<{ count: number }>(
        "select count(*) as count from pg_locks where relation = 'former_names'::regclass and not granted",
      );
      return rows[0]?.count ?? 0;
    };
    const locker = await pool.connect();
    await locker.query('begin; lock table former_names in access exclusive mode');
    const requests = Array.from({ length: 6 }, get);
    let waiting: number;
    try {
      waiting = await until(async () => {
        const count = await countWaiting();
        return count + refusals.length === requests.length ? count : undefined;
      }, 'each export waits or is refused');
    } finally {
      await locker.query('rollback');
      locker.release();
    }
    const statuses = await Promise.all(requests);
    assert.equal(waiting, 2);
    assert.equal(statuses.filter((status) => status === 200).length, 2);
    assert.equal(statuses.filter((status) => status === 429).length, 4);
    for (const refusal of refusals) assert.match(refusal, /Other exports are under way/);
    assert.equal(await get(), 200);
  });
});
