import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { addJob } from '../../../src/database/queue/added-jobs.ts';
import { releaseJobsOfDeadNodes, startQueue, type Task } from '../../../src/database/queue/queue.ts';
import { openTestDatabase } from '../../database.ts';
import { until } from '../../time.ts';

const names = ['first', 'second', 'third', 'fourth'];

describe('workers of the queue', () => {
  it('are replaced after the end of one job could not be stored, also when that of others could', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const rival = new Client(database.clientConfig);
    await rival.connect();
    const ends = new Map(names.map((name) => [name, Promise.withResolvers<void>()]));
    let started = 0;
    const task = (name: string): Task => ({
      urgency: 'interactive',
      run: async () => {
        started += 1;
        await ends.get(name)?.promise;
      },
    });
    const tasks = Object.fromEntries([...names, 'last'].map((name) => [name, task(name)]));
    const queue = await startQueue({ database, node: 1, tasks, endingTimeMs: 1000, log: () => {} });
    const add = (name: string): Promise<void> =>
      addJob(database.connection, { task: name, payload: {}, key: name, priority: 0 });
    const untilLeft = (count: number): Promise<true> =>
      until(async () => {
        const { rows } = await rival.query('select 1 from graphile_worker._private_jobs');
        return rows.length <= count || undefined;
      }, `${count} jobs are left`);
    try {
      for (const name of names) await add(name);
      await until(async () => started === names.length || undefined, 'all jobs have started');
      // The first job cannot be removed while this transaction locks it.
      await rival.query(`begin; select from graphile_worker._private_jobs where key = 'first' for update`);
      ends.get('first')?.resolve();
      await until(async () => {
        const { rows } = await rival.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows.length > 0 || undefined;
      }, 'the connection that stores the end of the job is broken');
      await rival.query('rollback');
      for (const [index, name] of ['second', 'third'].entries()) {
        ends.get(name)?.resolve();
        await untilLeft(3 - index);
      }
      ends.get('fourth')?.resolve();
      await add('last');
      await untilLeft(0);
    } finally {
      for (const { resolve } of ends.values()) resolve();
      await queue.stop();
      await rival.end();
    }
  });

  it('keep their jobs after another node took this one for dead', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const end = Promise.withResolvers<void>();
    let started = 0;
    const run = async (): Promise<void> => {
      started += 1;
      await end.promise;
    };
    const tasks = { long: { urgency: 'interactive', run } } satisfies Record<string, Task>;
    const queue = await startQueue({ database, node: 1, tasks, sweepMs: 20, log: () => {} });
    try {
      await addJob(database.connection, { task: 'long', payload: {}, key: 'long', priority: 0 });
      await until(async () => started > 0 || undefined, 'the job has started');
      await database.pool.query('delete from workers');
      await until(async () => {
        const { rows } = await database.pool.query('select from workers');
        return rows.length === 2 || undefined;
      }, 'both pools are registered again');
      // A sweep that began before the job has ended by now; it would take a job that is locked this long for lost.
      await database.pool.query(`update graphile_worker._private_jobs set locked_at = locked_at - interval '1 minute'`);
      await releaseJobsOfDeadNodes(database.connection, 1, { pools: new Map() });
      const { rows } = await database.pool.query(
        'select locked_by is not null as locked from graphile_worker._private_jobs',
      );
      assert.deepEqual([rows, started], [[{ locked: true }], 1]);
    } finally {
      end.resolve();
      await queue.stop();
    }
  });
});
