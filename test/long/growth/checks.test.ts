import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findRepair, moveRepair } from '../../../src/contributions/totals/repair-store.ts';
import { findChecked } from '../../../src/contributions/totals/running-check-store.ts';
import type { Database } from '../../../src/database/connections/connection.ts';
import { isOnCluster, openTestDatabase } from '../../database.ts';
import { isThorough, sampled } from '../../depth.ts';
import { storeCommitsWithLanguages } from '../../integration/contributions/commits-with-languages.ts';
import { check, checkOnce, storeRepository } from '../../integration/contributions/counted-repository.ts';
import { storeLanguages } from '../../integration/contributions/store-languages.ts';
import { analyzeTables, watchPlans } from '../../integration/plans.ts';

/** The rows of a part. */
const rows = 40;

async function store(database: Database, items: number, people?: number): Promise<string> {
  const id = await storeRepository(database, items, people);
  await storeLanguages(database.connection);
  return id;
}

describe('the check of the totals of a repository', { skip: isOnCluster }, () => {
  it('reads as much in a check of a large repository as of a small one', async () => {
    const costs: number[] = [];
    for (const items of isThorough ? [900, 9000] : [600, 1800]) {
      await using opened = await openTestDatabase();
      const { database } = opened;
      const id = await store(database, items);
      // Otherwise the rows of a day lie in more blocks of a larger table.
      await database.pool.query(`
        cluster language_days using language_days_in_order; cluster commits using commits_of_repository;
        cluster contributions using contributions_of_repository`);
      await analyzeTables(database);
      await check(database.connection, id, { rows, parts: 2 });
      const statements = await watchPlans(database, (connection) => check(connection, id, { rows, parts: 2 }));
      costs.push(statements.reduce((sum, { blocks }) => sum + blocks, 0));
      assert.notEqual(await findChecked(database.connection, id), null);
    }
    const [small = 0, large = 0] = costs;
    assert.ok(large < small * 1.5, `${small} blocks, and ${large} with many more rows`);
  });

  it('reads as much in a statement of a repair of a large repository as of a small one', async () => {
    const costs: Record<string, number[]> = Object.fromEntries(
      sampled(['days', 'people', 'languages'], 3).map((part) => [part, []]),
    );
    for (const items of isThorough ? [900, 9000] : [600, 1800]) {
      await using opened = await openTestDatabase();
      const { database } = opened;
      const { connection, pool } = database;
      const id = await store(database, items, items / 30);
      await moveRepair(connection, id, { from: null, to: { part: 'days', from: null } });
      for (const [part, measured] of Object.entries(costs)) {
        // Otherwise the rows of a part lie in more blocks of a larger table.
        const [ofDays, ofItems] = part === 'days' ? ['in_order', 'repository'] : ['pkey', 'account'];
        await pool.query(`
          cluster contribution_days using contribution_days_${part === 'days' ? 'of_repository' : 'pkey'};
          cluster contributions using contributions_of_${ofItems}; cluster language_days using language_days_${ofDays};
          cluster commits using commits_of_repository; cluster contributor_totals using contributor_totals_pkey`);
        await analyzeTables({ pool });
        const statements = await watchPlans(database, async (watched) => {
          while ((await findRepair(watched, id))?.part === part) await checkOnce(watched, id, { rows, parts: 1 });
        });
        // The first call of other functions reads the catalog.
        const reading = statements.filter(({ text }) =>
          /contributor_totals|contribution_days|language_days/.test(text),
        );
        measured.push(Math.max(...reading.map(({ blocks }) => blocks)));
      }
    }
    for (const [part, [small = 0, large = 0]] of Object.entries(costs)) {
      // The smallest tables are read whole, which takes less than an index.
      assert.ok(large < Math.max(small * 1.5, rows), `${part}: ${small} blocks, and ${large} with many more rows`);
    }
  });

  it('reads as much for languages in a part of a large history as for one of a small one', async () => {
    const costs: number[] = [];
    for (const commits of isThorough ? [600, 3000] : [300, 900]) {
      await using opened = await openTestDatabase();
      const { database } = opened;
      const id = await storeCommitsWithLanguages(database, commits);
      // Otherwise the rows of a day lie in more blocks of a larger table.
      await database.pool.query(`
        cluster language_days using language_days_in_order; cluster commits using commits_of_repository`);
      await analyzeTables(database);
      const statements = await watchPlans(database, (connection) => check(connection, id, { rows, parts: 1000 }));
      const ofParts = statements.filter(({ text }) => text.includes('language_days') && text.includes('summed'));
      assert.ok(ofParts.length > commits / rows / 2);
      costs.push(ofParts.reduce((sum, { blocks }) => sum + blocks, 0) / ofParts.length);
    }
    const [small = 0, large = 0] = costs;
    assert.ok(large < small * 1.5, `${small} blocks on average, and ${large} with many more commits`);
  });
});
