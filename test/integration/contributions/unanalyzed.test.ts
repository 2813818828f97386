import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import { newIssue } from '../../../bench/new-issue.ts';
import { saveContributions } from '../../../src/contributions/items/contribution-store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { isOnCluster, openTestDatabase } from '../../database.ts';
import { watchPlans } from '../plans.ts';

const atOnce = 100;
const pages = 30;
/** An index of these sizes has two levels; a row is looked up, inserted, and named by seven indexes. */
const blocksOfOne = 60;

describe('storing a page in tables that were never analyzed', () => {
  it('looks each contribution up by the primary key, new ones and changed ones', { skip: isOnCluster }, async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const { pool } = database;
    const repositoryId = uuidv7();
    const ownerId = uuidv7();
    for (const table of ['contributions', 'contribution_days', 'contributor_totals', 'repository_totals', 'accounts'])
      await pool.query(`alter table ${table} set (autovacuum_enabled = false)`);
    await pool.query(
      `insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
       values ($1, 'github', '1', '', 'user', 'one', now(), now(), now())`,
      [ownerId],
    );
    await pool.query(
      `insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
         listed_at, created_at, updated_at)
       values ($1, 'github', '1', '', $2, 'engine', false, false, now(), now(), now(), now())`,
      [repositoryId, ownerId],
    );
    const store = (connection: Connection, page: number, at: Date): Promise<void> =>
      inTransaction(connection, (transaction) =>
        saveContributions(transaction, {
          repositoryId,
          contributions: Array.from({ length: atOnce }, (_, index) => newIssue(`${page * atOnce + index}`, '1', at)),
          accountIds: new Map([['1', ownerId]]),
          wholeParents: [],
          seenAt: at,
        }),
      );
    const at = new Date();
    for (let page = 0; page < pages; page += 1) await store(database.connection, page, at);
    for (const [page, time] of [
      [pages, at],
      [0, new Date(at.getTime() + 86_400_000)],
    ] as const) {
      const statements = await watchPlans(database, (connection) => store(connection, page, time));
      const costly = statements.filter(({ blocks }) => blocks > blocksOfOne * atOnce);
      assert.deepEqual(costly, [], `page ${page}`);
    }
  });
});
