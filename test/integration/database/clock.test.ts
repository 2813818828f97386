import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { followClock, watchForSteps } from '../../../src/database/connections/clock.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { correctFutureTimes } from '../../../src/database/schema/future-store.ts';
import { openTestDatabase } from '../../database.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { until } from '../../time.ts';
import { addRepository } from '../contributions/stored-repository.ts';
import { loseConnectionAtStatements } from '../lost-connection.ts';
import { watchPlans } from '../plans.ts';

const dayMs = 86_400_000;

describe('synchronization with the clock of the database', () => {
  it('shows the time of the database while the clock of the machine is two days ahead', async (t) => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const clock = await followClock(connection, { onStepBack: () => assert.fail('no process set the clock') });
    t.after(() => clock.close());
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 2 * dayMs });
    const { rows } = await pool.query<{ difference: number }>(
      'select abs(extract(epoch from clock_timestamp() - $1))::float as difference',
      [clock.now()],
    );
    assert.ok((rows[0]?.difference ?? dayMs) < 60, JSON.stringify(rows));
  });

  it('reports that the clock of the database was set back', async () => {
    await using opened = await reuseTestDatabase();
    // To this machine two days seem to pass between two readings, and to the database none.
    let passed = 0;
    let steps = 0;
    const clock = await followClock(opened.database.connection, {
      everyMs: 10,
      monotonicMs: () => performance.now() + passed,
      onStepBack: () => {
        steps += 1;
      },
    });
    passed = 2 * dayMs;
    assert.ok(clock.now().getTime() > Date.now() + dayMs);
    await until(async () => (steps > 0 ? true : undefined), 'the step is reported');
    clock.close();
    assert.equal(steps, 1);
    assert.ok(clock.now().getTime() < Date.now() + dayMs);
  });

  it('notices that the clock of the machine was set, in either direction', () => {
    let wall = 0;
    let passed = 0;
    const wasSet = watchForSteps(
      () => wall,
      () => passed,
    );
    const results = [15_000, 2 * dayMs, 15_000, -2 * dayMs, 15_000].map((step) => {
      wall += step;
      passed += 15_000;
      return wasSet();
    });
    assert.deepEqual(results, [false, true, false, true, false]);
  });
});

describe('correction of times stored while a clock was ahead', () => {
  it('lowers them, so that data is fetched and jobs run again, and leaves the others', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const id = await addRepository(connection);
    await pool.query(
      `update accounts set fetched_at = now() + interval '2 days', listed_at = now() - interval '1 hour'`,
    );
    await pool.query(
      `insert into streams (repository_id, name, covers, known_until, completed_at)
       values ($1, 'issues', '{issue}', now() + interval '2 days', now() + interval '2 days')`,
      [id],
    );
    await pool.query(`insert into lookups (key, state, retry_at) values
      ('far', 'absent', now() + interval '2 days'), ('near', 'absent', now() + interval '10 minutes')`);
    await pool.query(`select graphile_worker.add_job('refresh', job_key => key, run_at => now() + wait::interval)
      from (values ('now', '2 days'), ('later', '2 hours')) job (key, wait)`);
    await pool.query(`
      insert into graphile_worker._private_known_crontabs values ('clean_up', now(), now() + interval '2 days')`);
    await correctFutureTimes(connection, new Date());
    const { rows } = await pool.query(`
      select a.fetched_at < now() as fetched, a.listed_at > now() - interval '2 hours' as listed, s.known_until < now() as known,
        (select array_agg(key order by key) from lookups where retry_at > now()) as waiting,
        (select array_agg(key order by key) from graphile_worker.jobs where run_at > now()) as delayed,
        (select last_execution <= now() from graphile_worker._private_known_crontabs) as scheduled
      from accounts a, streams s`);
    assert.deepEqual(rows, [
      { fetched: true, listed: true, known: true, waiting: ['near'], delayed: ['later'], scheduled: true },
    ]);
  });

  it('keeps the newest counters, as those of the present day', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    await addRepository(connection);
    await pool.query(`
      insert into counters (account_id, day, commits, updated_at)
      select id, (now() at time zone 'UTC')::date + day, 100 + day, now()
      from accounts cross join unnest(array[-1, 0, 2, 3]) as day`);
    await correctFutureTimes(connection, new Date());
    const { rows } = await pool.query(`
      select day - (now() at time zone 'UTC')::date as day, commits from counters order by day`);
    assert.deepEqual(rows, [
      { day: -1, commits: 99 },
      { day: 0, commits: 103 },
    ]);
  });
});

describe('the record of the latest time that may be stored', () => {
  const future = `update accounts set fetched_at = now() + interval '2 days'`;
  const isCorrected = async ({ pool }: Database): Promise<boolean> => {
    const { rows } = await pool.query<{ is: boolean }>('select bool_and(fetched_at < now()) as is from accounts');
    return rows[0]?.is ?? false;
  };

  it('lets a start read no table, unless the clock was set back', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const { connection, pool } = database;
    await addRepository(connection);
    // The first start does not know which times are stored.
    await correctFutureTimes(connection, new Date());
    const clock = await followClock(connection, { onStepBack: () => assert.fail('nobody set it') });
    clock.close();
    const statements = await watchPlans(database, (watched) => correctFutureTimes(watched, new Date()));
    assert.equal(statements.length, 1);
    assert.ok((statements[0]?.blocks ?? Number.NaN) < 5);
    const { rows } = await pool.query<{ ahead: number }>(
      'select extract(epoch from until - now())::float as ahead from latest_time',
    );
    assert.ok((rows[0]?.ahead ?? 0) > 60 && (rows[0]?.ahead ?? 0) <= 120, JSON.stringify(rows));
    await pool.query(`${future}; update latest_time set until = now() + interval '2 days'`);
    await correctFutureTimes(connection, new Date());
    assert.equal(await isCorrected(database), true);
    assert.equal((await watchPlans(database, (watched) => correctFutureTimes(watched, new Date()))).length, 1);
  });

  it('keeps a correction due whose connection was lost', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    await addRepository(database.connection);
    await database.pool.query(future);
    const correct = (connection: Connection): Promise<void> => correctFutureTimes(connection, new Date());
    const losses = await loseConnectionAtStatements(database, correct, 3);
    assert.ok(losses > 5);
    assert.equal(await isCorrected(database), true);
  });

  it('has a large table read in parts', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const { connection, pool } = database;
    await addRepository(connection);
    await pool.query(`
      insert into lookups (key, state, retry_at, error_message)
      select n::text, 'failed', now() + n % 2 * interval '2 days', repeat('x', 500) from generate_series(1, 40000) n`);
    const statements = await watchPlans(database, (watched) => correctFutureTimes(watched, new Date()));
    const parts = statements.filter(({ text }) => text.includes('update "lookups"'));
    assert.ok(parts.length >= 3, `${parts.length} parts`);
    const { rows } = await pool.query('select from lookups where retry_at > now()');
    assert.equal(rows.length, 0);
  });
});
