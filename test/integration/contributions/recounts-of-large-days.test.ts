import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { recountCommits } from '../../../src/sync/histories/read-history.ts';
import { isOnCluster } from '../../database.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { interleave } from '../interleave.ts';
import {
  assertAgree,
  fill,
  findAccount,
  findExpected,
  findNumbers,
  recount,
  storeCommit,
} from './recounted-commits.ts';
import { storeLanguages } from './store-languages.ts';

describe('recount of the commits of a large day', () => {
  it('counts languages of large days again', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const filled = await fill(opened.database, 40);
    await storeLanguages(connection);
    const find = async (): Promise<unknown> => (await pool.query('select * from language_days order by 2, 3, 4')).rows;
    const expected = await find();
    await pool.query(`
      update language_days set files = files + 1, commits = commits + 1
      where day = (select min(day) from language_days)`);
    await pool.query('delete from language_days where day = (select max(day) from language_days)');
    assert.notDeepEqual(await find(), expected);
    await findAccount(connection, filled);
    const { signal } = new AbortController();
    await recountCommits(connection, { repositoryId: filled.repositoryId, rows: 1, signal });
    assert.deepEqual(await find(), expected);
  });

  it('counts a large day again that changes while it is read', { skip: isOnCluster }, async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const filled = await fill(database, 12);
    await findAccount(database.connection, filled);
    let reads = 0;
    await interleave(
      database,
      (connection) => recount(connection, filled, 1),
      async ({ text }) => {
        if (!text.startsWith('declare') || !text.includes('contribution_days')) return;
        reads += 1;
        if (reads === 4) await storeCommit(database, filled, new Date('2026-04-29T00:00:00Z'));
        if (reads === 8) await findAccount(database.connection, { ...filled, found: filled.other });
      },
    );
    assert.ok(reads > 16, `${reads} reads`);
    const after = await findNumbers(database);
    assert.deepEqual(await findExpected(database, filled), after);
  });

  it('leaves a large day that changes each time to another call', { skip: isOnCluster }, async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const filled = await fill(database, 12);
    await findAccount(database.connection, filled);
    const { signal } = new AbortController();
    const work = (connection: Connection): Promise<void> =>
      recountCommits(connection, { repositoryId: filled.repositoryId, rows: 1, signal });
    const changing = interleave(database, work, async ({ text }) => {
      if (text.startsWith('declare'))
        await sql`update repository_totals set counting_day = null`.execute(database.connection);
    });
    await assert.rejects(changing, /changed each time/);
    await assertAgree(database);
    await recount(database.connection, filled, 1);
    const after = await findNumbers(database);
    assert.deepEqual(await findExpected(database, filled), after);
  });
});
