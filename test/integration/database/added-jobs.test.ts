import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import type { Database } from '../../../src/database/connections/connection.ts';
import { catchFailure, inOneTransaction } from '../../../src/database/connections/transaction.ts';
import { addJob, type Job } from '../../../src/database/queue/added-jobs.ts';
import { reuseTestDatabase } from '../../reused-database.ts';

const job = (key: string, payload = {}): Job => ({ task: 'update_totals', payload, key, priority: 1 });

async function storedJobs({ pool }: Database): Promise<string[]> {
  const { rows } = await pool.query<{ key: string }>('select key from graphile_worker.jobs order by key');
  return rows.map(({ key }) => key);
}

describe('transactions that add jobs', () => {
  it('end without a deadlock when they add jobs and lock rows in different orders', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    await pool.query(
      `insert into images (url, failures, refresh_at, used_at) values ('https://a.example', 0, now(), now())`,
    );
    // The first job of a task stores its name, for which others wait.
    await addJob(connection, job('earlier'));
    const [oneAdded, otherAdded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const lock = "update images set failures = failures + 1 where url = 'https://a.example'";
    const one = inOneTransaction(connection, async (transaction) => {
      await addJob(transaction, job('first'));
      oneAdded.resolve();
      await otherAdded.promise;
      await sql.raw(lock).execute(transaction);
      await addJob(transaction, job('second'));
    });
    const other = inOneTransaction(connection, async (transaction) => {
      await sql.raw(lock).execute(transaction);
      await addJob(transaction, job('second'));
      await oneAdded.promise;
      otherAdded.resolve();
      await addJob(transaction, job('first'));
    });
    const ended = await Promise.allSettled([one, other]);
    assert.deepEqual(
      ended.map(({ status }) => status),
      ['fulfilled', 'fulfilled'],
    );
    assert.deepEqual(await storedJobs(opened.database), ['earlier', 'first', 'second']);
  });

  it('leave out the jobs of a part that failed, and all jobs when they fail themselves', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    await inOneTransaction(connection, async (transaction) => {
      await addJob(transaction, job('before'));
      const failure = await catchFailure(transaction, async () => {
        await addJob(transaction, job('failed'));
        throw new Error('no');
      });
      assert.equal(failure?.message, 'no');
      await addJob(transaction, job('after'));
    });
    const failing = inOneTransaction(connection, async (transaction) => {
      await addJob(transaction, job('of a failed transaction'));
      throw new Error('no');
    });
    await assert.rejects(failing, /^Error: no$/);
    assert.deepEqual(await storedJobs(opened.database), ['after', 'before']);
  });

  it('store one job for those with the same key, as the last one wants it', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    await inOneTransaction(connection, async (transaction) => {
      await addJob(transaction, job('same', { number: '1' }));
      await addJob(transaction, job('other'));
      await addJob(transaction, job('same', { number: '2' }));
    });
    const { rows } = await pool.query("select payload from graphile_worker._private_jobs where key = 'same'");
    assert.deepEqual(rows, [{ payload: { number: '2' } }]);
  });
});
