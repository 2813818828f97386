import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hideSomeRepositories } from '../../../src/accounts/repositories/hide-store.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { openTestDatabase } from '../../database.ts';
import { storeBoard, stored } from '../../integration/boards/board-of-many.ts';
import { watchChangedRows } from '../../integration/changed-rows.ts';
import { analyzeTables, watchPlans } from '../../integration/plans.ts';

/** Those of 30 repositories hold more awards than one transaction announces people. */
const people = 340;

describe('hiding repositories of an account', () => {
  it('reads and announces no more for all that one transaction hides than for some, however many hold awards of them', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const { pool } = database;
    const { repositoryId, boardId } = await storeBoard(database, { people, mostIssues: 0 });
    await pool.query(`
      insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at, listed_at,
        created_at, updated_at)
      select gen_random_uuid(), provider, 'r' || n, '', owner_id, 'r' || n, false, false, now(), now(), now(), now()
      from repositories, generate_series(1, 89) n where id = '${repositoryId}';
      insert into board_repositories select '${boardId}', id from repositories on conflict do nothing;
      insert into achievements (id, repository_id, name, icon, description, is_current)
      select gen_random_uuid(), id, 'A', '', '', true from repositories;
      insert into awards (id, achievement_id, account_id, repository_name, awarded_at, created_at)
      select gen_random_uuid(), h.id, a.id, '', now(), now()
      from achievements h cross join accounts a where a.external_id ~ '^p[0-9]+$'`);
    await analyzeTables({ pool });
    const { ownerId } = await database.connection
      .selectFrom('boards')
      .select('owner_id as ownerId')
      .executeTakeFirstOrThrow();
    const changed = await watchChangedRows(database, ['announcements']);
    const costs: number[] = [];
    for (const limit of [30, 60]) {
      const ran = await watchPlans(database, async (connection) => {
        const hide = inTransaction(connection, (to) => hideSomeRepositories(to, ownerId, { limit, now: stored }));
        assert.equal(await hide, limit);
      });
      costs.push(ran.reduce((sum, { blocks }) => sum + blocks, 0));
    }
    const [some = 0, most = 0] = costs;
    // The repositories themselves cost some blocks each.
    assert.ok(most < some * 1.5, `${some} blocks for 30 repositories, and ${most} for 60`);
    assert.ok((await changed()).every((rows) => rows <= 10_001));
  });
});
