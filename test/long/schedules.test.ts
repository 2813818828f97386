import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startQueue } from '../../src/database/queue/queue.ts';
import { openTestDatabase } from '../database.ts';
import { until } from '../time.ts';

describe('recovery of schedules after a jump of the clock', () => {
  it('adds one job for all times that the jump skips, and goes on after the jump back', async (t) => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const minute = 60_000;
    // The clock of the machine, shortly before a minute that the database has not reached.
    const soon = Math.ceil(Date.now() / minute) * minute + 2 * minute - 1000;
    t.mock.timers.enable({ apis: ['Date'], now: soon });
    let isSet = false;
    const wasClockSet = (): boolean => {
      const result = isSet;
      isSet = false;
      return result;
    };
    const tasks = { tick: { urgency: 'background' as const, schedule: '* * * * *', run: async () => {} } };
    const queue = await startQueue({ database, node: 1, tasks, wasClockSet, log: () => {} });
    try {
      const lastTick = async (): Promise<number> => {
        const { rows } = await database.pool.query<{ at: Date | null }>(
          'select last_execution as at from graphile_worker._private_known_crontabs',
        );
        return rows[0]?.at?.getTime() ?? 0;
      };
      const tickAt = async (at: number): Promise<void> => {
        await until(async () => ((await lastTick()) === at ? true : undefined), `there is a tick at ${at}`);
      };
      t.mock.timers.setTime(soon + 100 * minute);
      await tickAt(soon + 1000 + 99 * minute);
      const { rows } = await database.pool.query('select run_at from graphile_worker.jobs');
      assert.equal(rows.length, 1);
      isSet = true;
      t.mock.timers.setTime(soon);
      await until(async () => ((await lastTick()) < soon ? true : undefined), 'the last tick is corrected');
      // The new workers read the clock first, so that they wait for the next minute, which comes then.
      const restartMs = 3000;
      const since = performance.now();
      await until(async () => {
        t.mock.timers.setTime(soon + Math.max(0, performance.now() - since - restartMs));
        return (await lastTick()) > soon ? true : undefined;
      }, 'there is a tick after the jump back');
    } finally {
      await queue.stop();
    }
  });
});
