import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestDatabase } from '../database.ts';
import { untilNoWorkIsLeft } from '../e2e/installed/work-ends.ts';

const deliverer = { idle: async () => {} };

describe('wait for the end of all work', () => {
  it('waits for a job that is delayed by a change, but not for the next scheduled round', async () => {
    await using opened = await openTestDatabase();
    const { pool } = opened.database;
    const add = (key: string): Promise<unknown> =>
      pool.query(`select graphile_worker.add_job('any', job_key => $1, run_at => now() + interval '5 seconds')`, [key]);
    await add('second start_owner_polls');
    await untilNoWorkIsLeft(pool, deliverer, 1000);
    await add('collect_repository engine');
    await assert.rejects(untilNoWorkIsLeft(pool, deliverer, 200), /still under way: .*collect_repository engine/);
  });
});
