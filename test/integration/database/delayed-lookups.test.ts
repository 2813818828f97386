import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addJob } from '../../../src/database/queue/added-jobs.ts';
import {
  claimLookup,
  claimLookupWithin,
  completeLookup,
  delayLookup,
  deleteOutcomes,
  deleteRefusals,
  failLookup,
  findDelayedByAllowance,
  findOutcome,
  findRetryTime,
  renewLookup,
} from '../../../src/database/queue/lookups.ts';
import { runNow } from '../../../src/database/queue/queue.ts';
import { AppError } from '../../../src/model/errors.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { clock, until } from '../../time.ts';
import { address, claimAll, fill, jobsIn, keysIn, lookupsIn, minuteMs, owner, toJob, visitor } from './claims.ts';

describe('claims of lookups', () => {
  it('start nothing and use no allowance when another lookup has just stored the result', async () => {
    const { now } = clock();
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { connection } = database;
    const party = visitor(address('address', 1));
    const claim = (isStored: boolean) => claimLookup(connection, toJob('a'), now(), party, async () => isStored);
    assert.deepEqual(await claim(true), { state: 'standing' });
    assert.deepEqual([await keysIn(database), await lookupsIn(database)], [[], {}]);
    assert.deepEqual(await claim(false), { state: 'claimed' });
    assert.deepEqual(await keysIn(database), ['look_up a']);
  });
});

describe('delay of lookups', () => {
  it('ends when an owner requests the lookup, because owners have an allowance of their own', async () => {
    const { now } = clock();
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { connection } = database;
    await claimAll(connection, ['a', 'b', 'c', 'd'], now(), visitor(address()));
    assert.deepEqual(await claimAll(connection, ['c', 'c'], now(), owner), [0, undefined]);
    assert.deepEqual(
      (await jobsIn(database)).map(({ key, minutes }) => [key, minutes]),
      [
        ['look_up a', 0],
        ['look_up b', 0],
        ['look_up c', 0],
        ['look_up d', 60],
      ],
    );
    // A repeated claim of a lookup that waits for the owner's own allowance does not move it.
    assert.deepEqual(await claimAll(connection, ['x', 'y', 'y', 'y'], now(), owner), [0, 30, 30, 30]);
  });

  it('ends for another party whose allowance has a place, and for images', async () => {
    const { now } = clock();
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const [firstVisitor, secondVisitor] = [visitor(address('one')), visitor(address('other'))];
    assert.deepEqual(await claimAll(connection, ['a', 'b', 'c', 'd'], now(), firstVisitor), [0, 0, 30, 60]);
    assert.deepEqual(await claimAll(connection, ['c', 'c', 'x', 'd', 'd'], now(), secondVisitor), [
      0,
      undefined,
      0,
      60,
      60,
    ]);
    // Neither of the repeated claims took a place.
    assert.deepEqual(await claimAll(connection, ['y'], now(), secondVisitor), [30]);
    assert.deepEqual(await claimAll(connection, ['d', 'y'], now(), visitor()), [0, 0]);
  });

  it('is bounded by a queue, beyond which nothing is stored', async () => {
    const { now } = clock();
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { connection } = database;
    await claimAll(connection, ['a', 'b'], now(), visitor(address()));
    await fill(database, new Date(now().getTime() + 11 * minuteMs), 1);
    assert.deepEqual(await claimAll(connection, ['c', 'd', 'd'], now(), visitor(address())), [30, 60, 60]);
    assert.deepEqual(await keysIn(database), ['look_up a', 'look_up b', 'look_up c']);
    assert.equal((await lookupsIn(database))['look_up d'], undefined);
    // Lookups that an allowance permits run all the same.
    assert.deepEqual(await claimAll(connection, ['e'], now(), visitor(address('other'))), [0]);
    // A lookup that the host's limit delays finds no place either. The first delayed one runs in ten minutes.
    const until = new Date(now().getTime() + 20 * minuteMs);
    await connection.transaction().execute((transaction) => delayLookup(transaction, toJob('e'), until, now()));
    assert.equal((await lookupsIn(database))['look_up e'], undefined);
    assert.deepEqual(
      (await findRetryTime(connection, 'look_up e', now()))?.until,
      new Date(now().getTime() + 10 * minuteMs),
    );
    // Places are free again when the delayed ones have run.
    assert.deepEqual(
      await claimAll(connection, ['f'], new Date(now().getTime() + 12 * minuteMs), visitor(address('third', 1))),
      [0],
    );
  });

  it('is no failure: the lookup waits for the quota with a job, and other claims return its time', async () => {
    const { now, advance } = clock();
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { connection } = database;
    await claimAll(connection, ['a'], now());
    await database.pool.query('delete from graphile_worker._private_jobs');
    const until = new Date(now().getTime() + 10 * minuteMs);
    await connection.transaction().execute((transaction) => delayLookup(transaction, toJob('a'), until, now()));
    assert.deepEqual(await lookupsIn(database), { 'look_up a': 'delayed_by_quota' });
    assert.equal(await findOutcome(connection, 'look_up a', now()), undefined);
    assert.deepEqual(await findRetryTime(connection, 'look_up a', now()), { until, reason: 'quota' });
    assert.deepEqual(await claimAll(connection, ['a'], now(), visitor(address())), [10]);
    assert.deepEqual(await jobsIn(database), [{ key: 'look_up a', minutes: 10, payload: { name: 'a' } }]);
    // The job renews its claim and completes, as the job of a lookup without a delay does.
    advance(10 * 60 + 30);
    assert.deepEqual(await claimAll(connection, ['a'], now(), visitor(address())), [-0.5]);
    await deleteOutcomes(connection, now(), 10);
    await renewLookup(connection, 'look_up a', now());
    assert.deepEqual(await lookupsIn(database), { 'look_up a': 'running' });
    await completeLookup(connection, 'look_up a');
    assert.deepEqual(await lookupsIn(database), {});
  });

  it('leaves an earlier job of the same key at its time', async () => {
    const { now } = clock();
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    await addJob(database.connection, toJob('c'));
    await claimAll(database.connection, ['a', 'b', 'c'], now(), visitor(address()));
    assert.deepEqual(
      (await jobsIn(database)).map(({ minutes }) => minutes),
      [0, 0, 0],
    );
  });

  it('survives a kill: the row and the job are stored together or not at all', async () => {
    const { now } = clock();
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { connection } = database;
    for (const name of ['a', 'b', 'c']) {
      const killed = connection.transaction().execute(async (transaction) => {
        await claimLookupWithin(transaction, toJob(name), now(), visitor(address('address', 1)));
        throw new Error('killed');
      });
      await assert.rejects(killed, /killed/);
    }
    assert.deepEqual([await lookupsIn(database), await keysIn(database)], [{}, []]);
    // Nothing was counted either.
    assert.deepEqual(await claimAll(connection, ['a', 'b'], now(), visitor(address('address', 1))), [0, 60]);
    assert.deepEqual(Object.keys(await lookupsIn(database)), await keysIn(database));
  });

  it('ends when another credential is there, unless the lookup waits for an allowance', async () => {
    const { now } = clock();
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { connection } = database;
    await claimAll(connection, ['a', 'b', 'c'], now(), visitor(address()));
    const until = new Date(now().getTime() + 50 * minuteMs);
    await database.pool.query("delete from graphile_worker._private_jobs where key = 'look_up a'");
    await connection.transaction().execute((transaction) => delayLookup(transaction, toJob('a'), until, now()));
    const error = new AppError('provider_rate_limited', 'used up');
    await failLookup(connection, 'refresh x', { state: 'failed', error }, until);
    await deleteRefusals(connection, 100);
    const kept = await findDelayedByAllowance(connection);
    await runNow(connection, ['look_up'], new Date(), kept);
    assert.deepEqual(await lookupsIn(database), {
      'look_up b': 'running',
      'look_up c': 'delayed_by_allowance',
    });
    assert.deepEqual(
      (await jobsIn(database)).map(({ key, minutes }) => [key, minutes]),
      [
        ['look_up b', 0],
        ['look_up a', 0],
        ['look_up c', 30],
      ],
    );
  });
});

describe('end of the waits of jobs', () => {
  it('leaves out a job that another session is changing, with which it could deadlock', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    for (const name of ['a', 'b']) await addJob(connection, { ...toJob(name), delayMs: 60 * minuteMs });
    const rival = await pool.connect();
    try {
      const change = (key: string) =>
        rival.query('update graphile_worker._private_jobs set updated_at = now() where key = $1', [key]);
      // The rival does not look for deadlocks, so that the other session is the one that PostgreSQL cancels.
      await rival.query("begin; set local deadlock_timeout = '1h'");
      await change('look_up b');
      let hasEnded = false;
      const ended = runNow(connection, ['look_up'], new Date()).finally(() => {
        hasEnded = true;
      });
      const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      await until(async () => hasEnded || (await pool.query(waiting)).rows.length > 0 || undefined, 'it waits or ends');
      await change('look_up a');
      await rival.query('commit');
      await ended;
    } finally {
      rival.release(true);
    }
    assert.deepEqual(
      (await jobsIn(opened.database)).map(({ key, minutes }) => [key, minutes]),
      [
        ['look_up a', 0],
        ['look_up b', 60],
      ],
    );
  });
});
