import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { recountRepository } from '../../../bench/recount-repository.ts';
import { lockTotals } from '../../../src/contributions/items/write-store.ts';
import { doLanguageSumsDiffer } from '../../../src/contributions/languages/sum-store.ts';
import { differ, findDifferentPeople, findNextDays } from '../../../src/contributions/totals/compare-totals-store.ts';
import type { Days } from '../../../src/contributions/totals/expected-totals-store.ts';
import { beforePeople, findLostPeople, findNextPeople } from '../../../src/contributions/totals/repair-store.ts';
import { compareChecked } from '../../../src/contributions/totals/running-check-store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { isOnCluster } from '../../database.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { check, corruptTotals, findSums, storeRepository } from './counted-repository.ts';

const always: Days = { from: null, until: null };

interface RecountWork {
  differences: number;
  /** The number of rows that the transaction wrote, by table. */
  written: Record<string, number>;
  /** The number of rows of totals of days and people that the transaction locked or wrote. */
  touched: number;
}

/** Returns the number of rows that this session wrote and has not reported yet, by table. */
async function findWritten(transaction: Connection): Promise<Map<string, number>> {
  const { rows } = await sql<{ table: string; written: number }>`
    select relname as table, n_tup_ins + n_tup_upd + n_tup_del as written from pg_stat_xact_user_tables`.execute(
    transaction,
  );
  return new Map(rows.map(({ table, written }) => [table, written]));
}

async function recount(connection: Connection, id: string): Promise<RecountWork> {
  return inTransaction(connection, async (transaction) => {
    const before = await findWritten(transaction);
    const differences = await recountRepository(transaction, id);
    const written = [...(await findWritten(transaction))].flatMap(([table, rows]) => {
      const own = rows - (before.get(table) ?? 0);
      return own === 0 ? [] : [[table, own] as const];
    });
    const own = sql`pg_current_xact_id()::xid`;
    const { rows: touched } = await sql<{ count: number }>`
      select (select count(*) from contribution_days where ${own} in (xmin, xmax))
        + (select count(*) from contributor_totals where ${own} in (xmin, xmax)) as count`.execute(transaction);
    return { differences, written: Object.fromEntries(written), touched: touched[0]?.count ?? Number.NaN };
  });
}

describe('recountRepository', () => {
  it('writes and locks no row when nothing differs', async () => {
    await using opened = await reuseTestDatabase();
    const id = await storeRepository(opened.database);
    assert.deepEqual(await recount(opened.database.connection, id), { differences: 0, written: {}, touched: 0 });
  });

  it('writes only the rows that differ: changed, lost and invented ones', { skip: isOnCluster }, async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const id = await storeRepository(opened.database);
    const expected = await findSums(opened.database);
    const wrong = await corruptTotals(opened.database, id);
    const { differences, written } = await recount(connection, id);
    assert.equal(differences, wrong);
    const { contribution_days: days, contributor_totals: people, repository_totals: totals } = written;
    assert.deepEqual([days, people], [4, 1]);
    // The second time marks the totals as changed.
    assert.equal(totals, 2);
    assert.deepEqual(await findSums(opened.database), expected);
  });
});

describe('checkTotals', () => {
  /** The number of rows in a part, so low that the days are compared in several parts. */
  const rowsAtOnce = 40;

  const limits = { rows: rowsAtOnce, parts: 1000 };

  it('compares all days once, in parts with a bounded number of rows', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const id = await storeRepository(opened.database);
    const parts: Days[] = [];
    let from: string | null = null;
    do {
      const days: Days = await findNextDays(connection, id, from, rowsAtOnce);
      parts.push(days);
      from = days.until;
    } while (from !== null);
    assert.ok(parts.length > 5);
    for (const part of parts) {
      const { rows } = await pool.query<{ count: number }>(
        `select count(*) from contribution_days
         where ($1::date is null or day >= $1) and ($2::date is null or day < $2)`,
        [part.from, part.until],
      );
      assert.ok(Number(rows[0]?.count) <= rowsAtOnce);
    }
  });

  it('compares totals while another transaction holds them', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const id = await storeRepository(opened.database);
    await inTransaction(connection, async (transaction) => {
      await lockTotals(transaction, id);
      for (const part of [always, { languages: always }]) assert.equal(await differ(connection, id, part), false);
      assert.deepEqual(await compareChecked(connection, id, null), []);
      const people = await findNextPeople(connection, id, beforePeople, { people: 100, rows: 10_000 });
      assert.equal(people.length, 20);
      assert.deepEqual(await findDifferentPeople(connection, id, people), []);
      assert.deepEqual(await findLostPeople(connection, id, always, 1), []);
      assert.equal(await doLanguageSumsDiffer(connection, id, { after: 0, until: null }), false);
    });
    assert.equal(await check(connection, id, limits), 0);
  });

  it('finds and repairs changed, lost and invented totals', { skip: isOnCluster }, async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const id = await storeRepository(opened.database);
    const expected = await findSums(opened.database);
    assert.equal(await corruptTotals(opened.database, id), await check(connection, id, limits));
    assert.deepEqual(await findSums(opened.database), expected);
    assert.equal(await check(connection, id, limits), 0);
  });

  it('counts commits that were stored and not counted', { skip: isOnCluster }, async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const id = await storeRepository(opened.database);
    const expected = await findSums(opened.database);
    await pool.query(
      'insert into uncounted_commits (repository_id, oid) select repository_id, oid from commits order by authored_at limit 1',
    );
    await pool.query(`
      update contribution_days d set commits = d.commits - 1
      from (select i.account_id, (c.authored_at at time zone 'UTC')::date as day
        from commits c join uncounted_commits u using (repository_id, oid) join identities i on i.id = c.identity_ids[1]) w
      where d.account_id = w.account_id and d.day = w.day`);
    await pool.query(`
      update contributor_totals t set commits = t.commits - 1
      from commits c join uncounted_commits u using (repository_id, oid) join identities i on i.id = c.identity_ids[1]
      where t.account_id = i.account_id`);
    await pool.query('update repository_totals set commits = commits - 1');
    assert.equal(await check(connection, id, limits), 0);
    assert.deepEqual(await findSums(opened.database), expected);
  });
});
