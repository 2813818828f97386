import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endRecount, recountNextDays } from '../../../src/contributions/totals/recount-commits-store.ts';
import { areCommitsCounted } from '../../../src/contributions/totals/total-store.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { isOnCluster, openTestDatabase } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { interleave } from '../interleave.ts';
import { loseConnection } from '../lost-connection.ts';
import { analyzeTables, watchPlans } from '../plans.ts';

import {
  assertAgree,
  type Filled,
  fill,
  findAccount,
  findExpected,
  findNumbers,
  recount,
  storeCommit,
} from './recounted-commits.ts';

/** The most rows of a part: several days, or fewer than a day has, which is counted by a cursor and in a pass for each person. */
const partsOf = { 'several days': 20, 'a large day': 1 };

function describeParts(part: string, rows: number): void {
  it(`leaves numbers that agree after each part of ${part}, and in the end those of a recount at once`, async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const filled = await fill(database, 10 * Math.max(rows, 6));
    const before = await findNumbers(database);
    await findAccount(database.connection, filled);
    let parts = 0;
    const seen = new Set<string>();
    await recount(database.connection, filled, rows, async () => {
      parts += 1;
      seen.add(JSON.stringify((await findNumbers(database)).people));
      await assertAgree(database);
    });
    assert.ok(parts >= 8 && seen.size >= 8, `${parts} parts`);
    const after = await findNumbers(database);
    assert.notDeepEqual(after, before);
    assert.deepEqual(await findExpected(database, filled), after);
    assert.equal(await areCommitsCounted(database.connection, filled.repositoryId), true);
  });

  it(`counts the same when the connection is lost before any statement of a part of ${part}`, async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const filled = await fill(database, 3 * Math.max(rows, 4));
    const work = (connection: Connection): Promise<void> => recount(connection, filled, rows);
    await findAccount(database.connection, filled);
    let losses = 0;
    for (let at = 1; !(await loseConnection(database, at, work)); at += isThorough ? 1 : 4) {
      losses += 1;
      await assertAgree(database);
    }
    assert.ok(losses > 2);
    const after = await findNumbers(database);
    assert.deepEqual(await findExpected(database, filled), after);
  });

  for (const [event, happen] of Object.entries({
    'another account of an address is found': ({ connection }: Database, filled: Filled) =>
      findAccount(connection, { ...filled, found: filled.other }),
    'commits of counted days are stored': (database: Database, filled: Filled) =>
      storeCommit(database, filled, new Date('2026-04-01T00:00:00Z')),
  })) {
    it(`begins again when ${event} beside parts of ${part}`, async () => {
      await using opened = await reuseTestDatabase();
      const { database } = opened;
      const filled = await fill(database, 5 * Math.max(rows, 6));
      await findAccount(database.connection, filled);
      let parts = 0;
      await recount(database.connection, filled, rows, async () => {
        parts += 1;
        if (parts === 4) await happen(database, filled);
      });
      assert.ok(parts > 8, `${parts} parts`);
      const after = await findNumbers(database);
      assert.deepEqual(await findExpected(database, filled), after);
    });
  }
}

describe('recount of the commits of a repository in parts', () => {
  for (const [part, rows] of Object.entries(partsOf)) describeParts(part, rows);

  it('continues after the last part when it was stopped', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const filled = await fill(opened.database, 100);
    await findAccount(connection, filled);
    const position = async (): Promise<string | null> => {
      const { rows } = await pool.query<{ at: string | null }>('select recounted_until as at from repository_totals');
      return rows[0]?.at ?? null;
    };
    const next = () => inTransaction(connection, (to) => recountNextDays(to, filled.repositoryId, 20));
    await next();
    const first = await position();
    await next();
    assert.ok(first !== null && ((await position()) ?? '') > first);
  });

  it('counts a commit before the first day that is stored while the first part is taken', {
    skip: isOnCluster,
  }, async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const filled = await fill(database, 100);
    await findAccount(database.connection, filled);
    let isStored = false;
    await interleave(
      database,
      (connection) => recount(connection, filled, 20),
      async ({ text }) => {
        if (isStored || !text.includes('lock_totals')) return;
        isStored = true;
        await storeCommit(database, filled, new Date('2020-01-01T00:00:00Z'));
      },
    );
    assert.ok(isStored);
    const after = await findNumbers(database);
    assert.deepEqual(await findExpected(database, filled), after);
  });

  it('does not end when it became necessary again after the last part', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const filled = await fill(opened.database, 40);
    await findAccount(connection, filled);
    const next = () => inTransaction(connection, (to) => recountNextDays(to, filled.repositoryId, 1000));
    assert.equal(await next(), 'done');
    await findAccount(connection, { ...filled, found: filled.other });
    assert.equal(await inTransaction(connection, (to) => endRecount(to, filled.repositoryId)), false);
    assert.equal(await areCommitsCounted(connection, filled.repositoryId), false);
  });

  it('reads as much in a part of a large history as in a part of a small one, and writes what differs', {
    skip: isOnCluster,
  }, async () => {
    const costs: number[] = [];
    for (const commits of isThorough ? [2000, 20_000] : [1000, 4000]) {
      await using opened = await openTestDatabase();
      const { database } = opened;
      const filled = await fill(database, commits);
      await analyzeTables(database);
      await findAccount(database.connection, filled);
      const next = (connection: Connection) =>
        inTransaction(connection, (to) => recountNextDays(to, filled.repositoryId, 500));
      await watchPlans(database, next);
      const statements = await watchPlans(database, next);
      costs.push(statements.reduce((sum, { blocks }) => sum + blocks, 0));
    }
    const [small = 0, large = 0] = costs;
    assert.ok(large < small * 1.5, `${small} blocks, and ${large} with many more commits`);
  });
});
