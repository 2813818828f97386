import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { recountRepository } from '../../../bench/recount-repository.ts';
import { saveAllCommits } from '../../../src/contributions/items/commit-store.ts';
import { lockTotals } from '../../../src/contributions/items/write-store.ts';
import { findNextDays } from '../../../src/contributions/totals/compare-totals-store.ts';
import { countDay } from '../../../src/contributions/totals/count-day-store.ts';
import { findLostPeople, findLostPeopleOfDay } from '../../../src/contributions/totals/repair-store.ts';
import { compareChecked, findChecked } from '../../../src/contributions/totals/running-check-store.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { recountPeopleOnDay } from '../../../src/sync/totals/recount-large-day.ts';
import { isOnCluster } from '../../database.ts';
import { isThorough, sampled } from '../../depth.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { interleave } from '../interleave.ts';
import { loseConnectionAtStatements } from '../lost-connection.ts';
import { check, findSums, storeRepository } from './counted-repository.ts';
import { storeLanguages } from './store-languages.ts';
import { makeContribution, removeContributions, storeContributions } from './stored-repository.ts';

const day = '2026-03-04';
const moment = new Date(`${day}T12:00:00Z`);

/** The limits of a check to the end, whose parts have far fewer rows than the day. */
const limits = { rows: 10, parts: 1000 };

/** Stores a repository with many items and commits of one moment, and few of other days. */
async function storeLargeDay({ database }: { database: Database }): Promise<string> {
  const { connection, pool } = database;
  const id = await storeRepository(database, 150);
  await pool.query('update contributions set created_at = $1 where external_id::integer % 3 > 0', [moment]);
  await pool.query('update commits set authored_at = $1 where get_byte(oid, 1) % 3 > 0', [moment]);
  await inTransaction(connection, (transaction) => recountRepository(transaction, id));
  await storeLanguages(connection);
  const { isLarge } = await findNextDays(connection, id, day, limits.rows);
  assert.ok(isLarge);
  return id;
}

async function findTotals(database: Database): Promise<unknown> {
  const { rows } = await database.pool.query('select * from language_days order by identity_id, day, language');
  return [await findSums(database), rows];
}

async function addIssue({ connection }: Database, id: string, externalId: string): Promise<void> {
  await storeContributions(connection, id, [makeContribution({ externalId, createdAt: moment })]);
}

async function addCommit({ connection }: Database, id: string, number: number): Promise<void> {
  async function* batches() {
    const oid = `${number}`.padStart(40, 'a');
    // A commit may have no address.
    const emails = number % 4 === 1 ? [] : ['p3@x.org'];
    yield [{ oid, authoredAt: moment, committedAt: moment, emails }];
  }
  await saveAllCommits(connection, batches(), { provider: 'github', repositoryId: id, scanNumber: 1, isCounted: true });
}

/** Wrong rows of the day. */
const faults: Readonly<Record<string, string>> = {
  'changed people': 'update contribution_days set reviews = reviews + 1 where day = $1',
  'a lost person':
    'delete from contribution_days where day = $1 and account_id = (select min(account_id::text)::uuid from contribution_days where day = $1)',
  'exchanged people': `
    with two as (select account_id, row_number() over (order by account_id) as n from contribution_days where day = $1 limit 2)
    update contribution_days d set commits = d.commits + case n when 1 then 1 else -1 end
    from two where d.account_id = two.account_id and d.day = $1`,
  'changed files of languages': 'update language_days set files = files + 1 where day = $1',
  'changed commits of languages': 'update language_days set commits = commits + 1 where day = $1',
};

describe('checkTotals of a day with more rows than a part', () => {
  for (const [fault, statement] of sampled(Object.entries(faults), 3)) {
    it(`repairs ${fault}`, async () => {
      await using opened = await reuseTestDatabase();
      const { connection, pool } = opened.database;
      const id = await storeLargeDay(opened);
      const expected = await findTotals(opened.database);
      assert.equal(await check(connection, id, limits), 0);
      assert.ok(((await pool.query(statement, [day])).rowCount ?? 0) > 0);
      assert.ok((await check(connection, id, limits)) > 0);
      assert.deepEqual(await findTotals(opened.database), expected);
      assert.equal(await check(connection, id, limits), 0);
    });
  }

  it('counts it while another transaction holds the totals', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const id = await storeLargeDay(opened);
    const days = await findNextDays(connection, id, day, limits.rows);
    const { signal } = new AbortController();
    await inTransaction(connection, async (transaction) => {
      await lockTotals(transaction, id);
      const { sums, isRight } = await countDay(connection, { repositoryId: id, days, signal }, true);
      assert.ok(isRight);
      assert.ok(sums.commits > 10n);
    });
  });

  it('finds people without totals, by parts of a limit', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const repositoryId = await storeLargeDay(opened);
    const { isLarge, ...days } = await findNextDays(connection, repositoryId, day, limits.rows);
    const find = (limit: number): Promise<string[]> =>
      findLostPeopleOfDay(connection, { repositoryId, days, signal: new AbortController().signal }, limit);
    assert.ok(isLarge);
    assert.deepEqual(await find(100), []);
    // Some people are found by nothing but an accepted comment.
    const { rows: people } = await pool.query<{ id: string }>(
      `select id from accounts where external_id like 'p%' order by external_id limit 12`,
    );
    const ids = people.map(({ id }) => id);
    await pool.query('delete from contribution_days where account_id = any($1)', [ids.slice(0, 6)]);
    await pool.query('delete from contributor_totals where account_id = any($1)', [ids]);
    const lost = await findLostPeople(connection, repositoryId, days, 100);
    assert.ok(lost.length > 3);
    assert.deepEqual((await find(100)).toSorted(), lost);
    assert.equal((await find(3)).length, 3);
  });

  it('ends when its signal says so', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const repositoryId = await storeLargeDay(opened);
    const { isLarge, ...days } = await findNextDays(connection, repositoryId, day, limits.rows);
    assert.ok(isLarge);
    const stopped = { repositoryId, days, signal: AbortSignal.abort(new Error('stopped')) };
    await assert.rejects(countDay(connection, stopped, true), /stopped/);
    await assert.rejects(recountPeopleOnDay(connection, stopped, 1), /stopped/);
    await assert.rejects(findLostPeopleOfDay(connection, stopped, 1), /stopped/);
  });

  it('stores right sums when the day changes before any statement', { skip: isOnCluster }, async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const id = await storeLargeDay(opened);
    let changes = 0;
    let statements = 0;
    for (let at = 1; at === 1 || at <= statements; at += isThorough ? 1 : 59) {
      statements = await interleave(
        database,
        async (connection) => assert.equal(await check(connection, id, limits), 0, `before statement ${at}`),
        async ({ number, isInTransaction }) => {
          // In a transaction that changes something, the work holds the totals.
          if (number < at || isInTransaction || changes >= at) return;
          changes = at;
          if (at % 2 === 1) await addIssue(database, id, `added-${at}`);
          else await removeContributions(database.connection, id, sql`c.external_id like 'added-%'`);
        },
      );
    }
    assert.ok(changes > 1);
    assert.deepEqual(await compareChecked(database.connection, id, null), []);
  });

  it('corrects the day while it changes before any statement', { skip: isOnCluster }, async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const id = await storeLargeDay(opened);
    let statements = 1;
    for (let at = 1; at <= statements; at += isThorough ? 2 : 193) {
      for (const fault of ['changed people', 'a lost person', 'changed files of languages'])
        await database.pool.query(faults[fault] ?? '', [day]);
      let isChanged = false;
      statements = await interleave(
        database,
        (connection) => check(connection, id, limits),
        async ({ number, isInTransaction }) => {
          if (number < at || isInTransaction || isChanged) return;
          isChanged = true;
          await addIssue(database, id, `added-${at}`);
          await addCommit(database, id, at);
        },
      );
      assert.equal(await check(database.connection, id, limits), 0, `a change before statement ${at}`);
    }
    const totals = await findTotals(database);
    assert.equal(await inTransaction(database.connection, (transaction) => recountRepository(transaction, id)), 0);
    assert.deepEqual(await findTotals(database), totals);
  });

  it('stores nothing about a person who is being erased', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { connection, pool } = database;
    const repositoryId = await storeLargeDay(opened);
    const { rows } = await pool.query<{ id: string }>(
      'delete from contribution_days where day = $1 returning account_id as id',
      [day],
    );
    const erased = rows[0]?.id ?? assert.fail();
    await pool.query('update accounts set erased_at = now() where id = $1', [erased]);
    const { isLarge, ...days } = await findNextDays(connection, repositoryId, day, limits.rows);
    assert.ok(isLarge);
    const { signal } = new AbortController();
    const { isComplete } = await recountPeopleOnDay(connection, { repositoryId, days, signal }, limits.rows);
    assert.equal(isComplete, false);
    const stored = await pool.query('select from contribution_days where day = $1 and account_id = $2', [day, erased]);
    assert.equal(stored.rowCount, 0);
  });

  it('leaves it to the next call when it changes each time', { skip: isOnCluster }, async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const id = await storeLargeDay(opened);
    let changes = 0;
    await interleave(
      database,
      (connection) => check(connection, id, limits),
      async ({ text }) => {
        if (!text.startsWith('declare') || !text.includes('language_days')) return;
        changes += 1;
        await addIssue(database, id, `added-${changes}`);
      },
    );
    assert.equal(changes, 3);
    assert.equal(await findChecked(database.connection, id), day);
    assert.equal(await check(database.connection, id, limits), 0);
    assert.equal(await findChecked(database.connection, id), null);
  });

  it('repairs the same when the connection is lost before any statement', { skip: isOnCluster }, async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const id = await storeLargeDay(opened);
    const expected = await findTotals(database);
    for (const fault of ['changed people', 'changed files of languages'])
      await database.pool.query(faults[fault] ?? '', [day]);
    const work = (connection: Connection): Promise<unknown> => check(connection, id, limits);
    const losses = await loseConnectionAtStatements(database, work, isThorough ? 1 : 23);
    assert.ok(losses > 2);
    assert.deepEqual(await findTotals(database), expected);
    assert.deepEqual(await compareChecked(database.connection, id, null), []);
  });
});
