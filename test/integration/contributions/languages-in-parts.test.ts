import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { recountRepository } from '../../../bench/recount-repository.ts';
import type { Database } from '../../../src/database/connection.ts';
import { inTransaction } from '../../../src/database/transaction.ts';
import { isOnCluster, openTestDatabase } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { loseConnectionAtStatements } from '../lost-connection.ts';
import { analyzeTables, watchPlans } from '../plans.ts';
import { check } from './counted-repository.ts';
import { storeLanguages } from './store-languages.ts';
import { addRepository } from './stored-repository.ts';

/** The rows of a part, so low that a recount has many parts. */
const rowsAtOnce = 40;
const limits = { rows: rowsAtOnce, parts: 1000 };
/** The commits of a day, each of which has at most two languages. */
const commitsOfDay = 3;

/** Stores commits of some people on many days, with their languages, all counted. @returns the id of the repository. */
async function fill({ connection, pool }: Database, commits: number): Promise<string> {
  const id = await addRepository(connection);
  await pool.query(
    `insert into identities (provider, email) select 'github', 'p' || n || '@x.org' from generate_series(1, 4) n`,
  );
  await pool.query(
    `insert into commits (repository_id, oid, authored_at, committed_at, scan_number, identity_ids)
     select $1, decode(md5(n::text), 'hex'), at, at, 1, array[i.id]
     from generate_series(1, ${commits}) n
     cross join lateral (select '2026-05-01T12:00:00Z'::timestamptz - n / ${commitsOfDay} * interval '1 day' as at) t
     join identities i on i.email = 'p' || (n % 4 + 1) || '@x.org'`,
    [id],
  );
  await inTransaction(connection, (transaction) => recountRepository(transaction, id));
  await storeLanguages(connection);
  return id;
}

async function findSums({ pool }: Database): Promise<unknown> {
  const { rows } = await pool.query('select * from language_days order by repository_id, identity_id, day, language');
  return rows;
}

/** Makes a third of the sums wrong: changed, lost and invented ones. */
async function corrupt({ pool }: Database): Promise<void> {
  await pool.query(`
    update language_days set files = files + 1 where extract(day from day)::integer % 9 = 0;
    delete from language_days where extract(day from day)::integer % 9 = 1;
    insert into language_days (repository_id, identity_id, day, language, files, commits)
    select repository_id, identity_id, day, 'Ada', 1, 1 from language_days where extract(day from day)::integer % 9 = 2
    on conflict do nothing`);
}

describe('recount of languages in parts', () => {
  it('repairs some days in each transaction, with a bounded number of rows', { skip: isOnCluster }, async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const id = await fill(database, 600);
    const expected = await findSums(database);
    await corrupt(database);
    assert.notDeepEqual(await findSums(database), expected);
    const { rows: before } = await sql<{ at: string }>`select pg_current_xact_id()::text as at`.execute(
      database.connection,
    );
    assert.ok((await check(database.connection, id, limits)) > 0);
    assert.deepEqual(await findSums(database), expected);
    const { rows } = await sql<{ rows: number }>`
      select count(*)::integer as rows from language_days where xmin::text::bigint > ${before[0]?.at}::bigint
      group by xmin::text order by 1 desc`.execute(database.connection);
    assert.ok(rows.length > 4, `${rows.length} transactions`);
    assert.ok((rows[0]?.rows ?? 0) <= rowsAtOnce + 2 * commitsOfDay, `${rows[0]?.rows} rows of one transaction`);
    assert.equal(await check(database.connection, id, limits), 0);
  });

  it('counts the same when the connection is lost before any statement', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const id = await fill(database, 120);
    const expected = await findSums(database);
    await corrupt(database);
    const losses = await loseConnectionAtStatements(database, (to) => check(to, id, limits), isThorough ? 1 : 7);
    assert.ok(losses > 2);
    assert.deepEqual(await findSums(database), expected);
  });

  it('reads as much for a part of a large history as for one of a small one', { skip: isOnCluster }, async () => {
    const costs: number[] = [];
    for (const commits of isThorough ? [600, 3000] : [300, 900]) {
      await using opened = await openTestDatabase();
      const { database } = opened;
      const id = await fill(database, commits);
      // Otherwise the rows of a day lie in more blocks of a larger table.
      await database.pool.query(`
        cluster language_days using language_days_in_order; cluster commits using commits_of_repository`);
      await analyzeTables(database);
      const statements = await watchPlans(database, (connection) => check(connection, id, limits));
      const ofParts = statements.filter(({ text }) => text.includes('language_days') && text.includes('summed'));
      assert.ok(ofParts.length > commits / rowsAtOnce / 2);
      costs.push(ofParts.reduce((sum, { blocks }) => sum + blocks, 0) / ofParts.length);
    }
    const [small = 0, large = 0] = costs;
    assert.ok(large < small * 1.5, `${small} blocks on average, and ${large} with many more commits`);
  });
});
