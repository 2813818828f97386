import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import type { Database } from '../../../src/database/connections/connection.ts';
import { isOnCluster, openTestDatabase } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { loseConnectionAtStatements } from '../lost-connection.ts';
import { commitsOfDay, storeCommitsWithLanguages } from './commits-with-languages.ts';
import { check } from './counted-repository.ts';

/** The rows of a part, so low that a recount has many parts. */
const rowsAtOnce = 40;
const limits = { rows: rowsAtOnce, parts: 1000 };

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
    const id = await storeCommitsWithLanguages(database, 300);
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
    const id = await storeCommitsWithLanguages(database, 120);
    const expected = await findSums(database);
    await corrupt(database);
    const losses = await loseConnectionAtStatements(database, (to) => check(to, id, limits), isThorough ? 1 : 13);
    assert.ok(losses > 2);
    assert.deepEqual(await findSums(database), expected);
  });
});
