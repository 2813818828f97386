import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { findSeason } from '../../../src/recognition/boards/seasons/season-store.ts';
import { isOnCluster, openTestDatabase } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { storeBoard } from '../../integration/boards/board-of-many.ts';
import { countSeasons, hide, signSeasons } from '../../integration/boards/stored-seasons.ts';
import { watchChangedRows } from '../../integration/changed-rows.ts';
import { watchPlans } from '../../integration/plans.ts';

describe('hiding an account of many seasons', { skip: isOnCluster }, () => {
  it('costs as much with many signed seasons as with few, and hides the statements of all', async () => {
    const costs: number[] = [];
    for (const boards of [2, isThorough ? 1000 : 300]) {
      await using opened = await openTestDatabase();
      const { database } = opened;
      await storeBoard(database, { people: 3 });
      await signSeasons(database, boards);
      const changed = await watchChangedRows(database, ['board_seasons', 'pending_withdrawals', 'withdrawn_names']);
      const ran = await watchPlans(database, (connection) => hide('p2').execute(connection));
      costs.push(ran.reduce((sum, { blocks }) => sum + blocks, 0));
      assert.deepEqual(await changed(), [1]);
      const { rows } = await sql<{ id: string }>`select id from boards`.execute(database.connection);
      for (const { id } of rows.slice(0, 5)) {
        const season = await findSeason(database.connection, id, 1);
        assert.deepEqual([season?.version, season?.statement], [1, null]);
      }
      await sql`delete from pending_withdrawals`.execute(database.connection);
      assert.equal((await findSeason(database.connection, rows[0]?.id ?? '', 1))?.statement, 'signed');
    }
    assert.ok((costs[1] ?? 0) < (costs[0] ?? 0) + 500, JSON.stringify(costs));
  });

  it('reads as much with many people in them as with few', async () => {
    const costs: number[] = [];
    for (const people of isThorough ? [500, 50_000] : [500, 6000]) {
      await using opened = await openTestDatabase();
      const { database } = opened;
      await storeBoard(database, { people, mostIssues: 0 });
      await countSeasons(database, 5);
      for (const person of ['p1', 'p2']) {
        const ran = await watchPlans(database, (connection) => hide(person).execute(connection));
        // The search itself: a new session reads hundreds of blocks of the catalog for the statement around it.
        costs.push(...ran.filter(({ text }) => text.includes('next_season_ranks')).map(({ blocks }) => blocks));
      }
    }
    assert.equal(costs.length, 4);
    assert.ok(Math.max(...costs) < 100, JSON.stringify(costs));
    const [few, many] = [costs.slice(0, 2), costs.slice(2)].map((blocks) => blocks.reduce((sum, next) => sum + next));
    assert.ok((many ?? 0) < (few ?? 0) + 100, JSON.stringify(costs));
  });
});
