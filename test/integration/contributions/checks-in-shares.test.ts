import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { erasePerson } from '../../../bench/erase-person.ts';
import { findById } from '../../../src/accounts/store.ts';
import { lockTotals } from '../../../src/contributions/items/write-store.ts';
import { recountLanguages } from '../../../src/contributions/languages/recount-store.ts';
import { findNextDays } from '../../../src/contributions/totals/compare-totals-store.ts';
import { compareChecked, findChecked } from '../../../src/contributions/totals/running-check-store.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { isOnCluster } from '../../database.ts';
import { isThorough, sampled } from '../../depth.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { loseConnectionAtStatements } from '../lost-connection.ts';
import { check, corruptTotals, findSums, storeRepository } from './counted-repository.ts';
import { storeLanguages } from './store-languages.ts';

/** The limits of one run, so low that a check takes several runs. */
const limits = { rows: 40, parts: 2 };

async function storeWithLanguages(database: Database, items?: number): Promise<string> {
  const id = await storeRepository(database, items);
  await storeLanguages(database.connection);
  return id;
}

/** Returns the number of runs that check everything. */
async function countRuns(connection: Connection, id: string): Promise<number> {
  let parts = 0;
  let from: string | null = null;
  do {
    ({ until: from } = await findNextDays(connection, id, from, limits.rows));
    parts += 1;
  } while (from !== null);
  return Math.ceil(parts / limits.parts);
}

/** Runs the check until it begins again. @returns how many totals differed. */
async function checkToEnd(connection: Connection, id: string): Promise<number> {
  let differences = 0;
  do differences += await check(connection, id, limits);
  while ((await findChecked(connection, id)) !== null);
  return differences;
}

/** Wrong rows of each table. */
const faults: Readonly<Record<string, string>> = {
  'a changed day':
    'update contribution_days set issues = issues + 1 where (account_id, day) = (select account_id, day from contribution_days order by day, account_id offset $1 limit 1)',
  'a lost day':
    'delete from contribution_days where (account_id, day) = (select account_id, day from contribution_days order by day, account_id offset $1 limit 1)',
  'a changed person':
    'update contributor_totals set commits = commits + 1 where account_id = (select account_id from contributor_totals order by account_id offset $1 / 20 limit 1)',
  'two exchanged people': `
    with two as (select account_id as id, row_number() over (order by account_id) as n from contributor_totals order by 1 limit 2)
    update contributor_totals set issues_closed = issues_closed + case n when 1 then 1 else -1 end + 0 * $1::integer
    from two where account_id = two.id`,
  'a lost person':
    'delete from contributor_totals where account_id = (select account_id from contributor_totals order by account_id offset $1 / 20 limit 1)',
  'changed comments of the whole': 'update repository_totals set issue_comments = issue_comments + 1 + 0 * $1::integer',
  'changed commits of the whole': 'update repository_totals set commits = commits - 1 + 0 * $1::integer',
  'exchanged counters of the whole':
    'update repository_totals set issues = issues + 1, reviews = reviews - 1 + 0 * $1::integer',
  'a changed language of a day':
    'update language_days set files = files + 1 where (identity_id, day, language) = (select identity_id, day, language from language_days order by day, identity_id, language offset $1 limit 1)',
  'a changed sum of a language':
    'update language_sums set files = files + 1 where (identity_id, language) = (select identity_id, language from language_sums order by 1, 2 offset $1 / 20 limit 1)',
};

describe('checkTotals in several runs', () => {
  it('goes on with the days where the last run stopped, and begins again after the last day', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const id = await storeWithLanguages(opened.database);
    const runs = await countRuns(connection, id);
    assert.ok(runs > 3, `${runs} runs`);
    let last = '';
    for (let run = 1; run < runs; run += 1) {
      assert.equal(await check(connection, id, limits), 0);
      const position = (await findChecked(connection, id)) ?? '';
      assert.ok(position > last, `run ${run}: ${position} after ${last}`);
      last = position;
    }
    assert.equal(await check(connection, id, limits), 0);
    assert.equal(await findChecked(connection, id), null);
  });

  it('writes no position where one part has all days', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const id = await storeWithLanguages(opened.database);
    const version = async (): Promise<unknown> => (await pool.query('select xmin::text from repository_totals')).rows;
    const whole = { rows: 10_000, parts: 1 };
    // The first one takes the mark of the change.
    await check(connection, id, whole);
    const before = await version();
    assert.equal(await check(connection, id, whole), 0);
    assert.deepEqual(await version(), before);
  });

  for (const [fault, statement] of sampled(Object.entries(faults), 4)) {
    it(`finds ${fault} within as many runs as check everything`, async () => {
      await using opened = await reuseTestDatabase();
      const { connection, pool } = opened.database;
      const id = await storeWithLanguages(opened.database, isThorough ? 300 : 120);
      const expected = await findSums(opened.database);
      const runs = await countRuns(connection, id);
      assert.ok(runs > 1);
      for (let position = 0; position < runs; position += isThorough ? 1 : 2) {
        const { rowCount } = await pool.query(statement, [position * 13]);
        assert.ok((rowCount ?? 0) > 0);
        let differences = 0;
        for (let run = 0; run < runs; run += 1) differences += await check(connection, id, limits);
        assert.ok(differences > 0, `after ${position} runs of the check`);
        // The next one happens while the check is at another position.
        await check(connection, id, limits);
        if (!isThorough) await check(connection, id, limits);
      }
      await checkToEnd(connection, id);
      assert.deepEqual(await findSums(opened.database), expected);
      assert.equal(await checkToEnd(connection, id), 0);
    });
  }

  it('finds no difference when a person is erased meanwhile, and compares people again from the next beginning on', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const id = await storeRepository(opened.database, 300);
    await check(connection, id, limits);
    const { rows } = await pool.query<{ id: string }>(`select id from accounts where external_id = 'p3'`);
    const account = (await findById(connection, rows[0]?.id ?? '')) ?? assert.fail();
    await erasePerson(connection, account, new Date());
    assert.deepEqual(await compareChecked(connection, id, await findChecked(connection, id)), []);
    assert.equal(await checkToEnd(connection, id), 0);
    await pool.query('update contributor_totals set pull_requests_merged = pull_requests_merged + 1');
    assert.ok((await checkToEnd(connection, id)) > 0);
  });

  it('finds no difference when languages of earlier days are counted again meanwhile', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const id = await storeWithLanguages(opened.database, 300);
    for (let run = 0; run < 2; run += 1) await check(connection, id, limits);
    const until = await findChecked(connection, id);
    await pool.query('update commits set languages = $1 where authored_at < $2', [{ Ada: 1 }, until]);
    await inTransaction(connection, async (to) => {
      await lockTotals(to, id);
      assert.ok((await recountLanguages(to, id, { from: null, until: null })) > 0);
    });
    assert.deepEqual(await compareChecked(connection, id, await findChecked(connection, id)), []);
    assert.equal(await checkToEnd(connection, id), 0);
  });

  it('repairs the same when the connection is lost before any statement', { skip: isOnCluster }, async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const id = await storeWithLanguages(database, 300);
    const expected = await findSums(database);
    await corruptTotals(database, id);
    const work = (connection: Connection): Promise<unknown> => checkToEnd(connection, id);
    const losses = await loseConnectionAtStatements(database, work, isThorough ? 1 : 13);
    assert.ok(losses > 2);
    assert.deepEqual(await findSums(database), expected);
    assert.deepEqual(await compareChecked(database.connection, id, null), []);
  });
});
