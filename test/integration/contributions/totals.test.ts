import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findDuePolls } from '../../../src/accounts/repositories/poll-store.ts';
import { recordTotalsChanged } from '../../../src/contributions/items/collection-store.ts';
import { findUncounted } from '../../../src/contributions/items/commits-again-store.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { addRepository, makeContribution, storeContributions } from './stored-repository.ts';

describe('totals', () => {
  it('announces a change in a transferred repository for its present owner', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const id = await addRepository(connection);
    await pool.query(`insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
    values (gen_random_uuid(), 'github', '2', '2', 'user', 'bob', now(), now(), now())`);
    await pool.query("update repositories set owner_id = (select id from accounts where name = 'bob')");
    const { rows: people } = await pool.query<{ id: string }>("select id from accounts where name = 'ada'");
    await storeContributions(connection, id, [makeContribution({ author: people[0]?.id ?? null })]);
    await pool.query('delete from announcements');
    await recordTotalsChanged(connection, [id]);
    await recordTotalsChanged(connection, [id]);
    const { rows } = await pool.query(
      "select name from announcements join accounts on id::text = key where kind = 'account'",
    );
    assert.deepEqual(rows, [{ name: 'bob' }]);
  });

  it('skips a repository without commits or with an unavailable provider', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    await addRepository(connection);
    await pool.query(`insert into repository_totals (repository_id, commits, issues, issues_closed, pull_requests,
    pull_requests_merged, reviews, discussions, discussions_answered) select id, 0, 1, 0, 0, 0, 0, 0, 0 from repositories`);
    await pool.query(`insert into streams (repository_id, name, covers, completed_at)
    select id, 'commits', '{commit}', now() from repositories`);
    await pool.query("update repositories set default_branch = '', installed_at = now()");
    assert.deepEqual(await findUncounted(connection, 10), []);
    await pool.query("update repositories set default_branch = 'main'");
    assert.equal((await findUncounted(connection, 10)).length, 1);
    assert.deepEqual(await findDuePolls(connection, ['gitea'], new Date(), 10), []);
    assert.equal((await findDuePolls(connection, ['gitea', 'github'], new Date(), 10)).length, 1);
  });
});
