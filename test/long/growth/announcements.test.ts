import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { rankBoard } from '../../../src/recognition/boards/ranking/rank-board.ts';
import { isOnCluster, openTestDatabase } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { storeBoard, stored } from '../../integration/boards/board-of-many.ts';
import { analyzeTables, watchPlans } from '../../integration/plans.ts';

describe('announcements', { skip: isOnCluster }, () => {
  it('read few blocks when an account or a board changes that shows very many people', async () => {
    const changes = {
      'a repository is renamed': `update repositories set name = name || 'x' where external_id = 'A'`,
      'its owner is renamed': `update accounts set name = 'owner ' || now() where id in (select owner_id from boards)`,
      'its owner is hidden': `update accounts set hidden = not hidden where id in (select owner_id from boards)`,
      'an achievement gets an icon': `update achievements set icon = icon || 'x' where name = 'A1'`,
      'a person is hidden': `update accounts set hidden = not hidden where external_id = 'p7'`,
      'a board is renamed': `update boards set slug = slug || 'x'`,
    };
    const costs: Record<string, number>[] = [];
    for (const people of isThorough ? [15_000, 50_000] : [10_500]) {
      await using opened = await openTestDatabase();
      const { connection, pool } = opened.database;
      const { boardId, repositoryId } = await storeBoard(opened.database, { people, mostIssues: 1 });
      await rankBoard({ connection, now: () => stored }, boardId);
      await pool.query(`
        update repositories set external_id = 'A' where id = '${repositoryId}';
        insert into achievements (id, repository_id, name, icon, description, is_current)
        select gen_random_uuid(), '${repositoryId}', 'A' || n, '', '', true from generate_series(1, 2) n;
        insert into awards (id, achievement_id, account_id, repository_name, awarded_at, created_at)
        select gen_random_uuid(), h.id, a.id, '', now(), now() from achievements h cross join accounts a where a.external_id ~ '^p'`);
      await analyzeTables({ pool });
      const cost: Record<string, number> = {};
      for (const [name, change] of Object.entries(changes)) {
        const ran = await watchPlans(opened.database, (watched) => sql.raw(change).execute(watched));
        const announcing = ran.filter(({ text }) => text.includes('announce_'));
        assert.ok(announcing.length > 0, name);
        cost[name] = announcing.reduce((sum, { blocks }) => sum + blocks, 0);
      }
      costs.push(cost);
    }
    const [few = {}, many = few] = costs;
    for (const name of Object.keys(changes)) {
      const [small = 0, large = 0] = [few[name], many[name]];
      assert.ok(large < 1500 && large <= small * 1.5 + 50, `${name}: ${small} blocks, and ${large} with more people`);
    }
  });
});
