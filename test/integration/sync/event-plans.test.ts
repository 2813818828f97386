import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import { createIssueSource, unstoppedWork } from '../../../bench/issue-source.ts';
import { syncContextOf } from '../../../bench/sync-context.ts';
import { collectNamedRepository } from '../../../src/sync/collect.ts';
import { openTestDatabase } from '../../database.ts';
import { watchPlans } from '../plans.ts';

const large = new Set(['repositories', 'streams', 'summed_repositories', 'repository_totals', 'contributor_totals']);

describe('storing of an event for an owner with many repositories', () => {
  it('reads no table whole', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const { pool } = database;
    const accountId = uuidv7();
    await pool.query(
      `insert into accounts (id, provider, external_id, handle, type, name, named_at, listed_at, created_at, updated_at)
       select case n when 0 then $1 else gen_random_uuid() end, 'github', n::text, '', case n when 0 then 'organization' else 'user' end,
         'person-' || n, now(), now(), now(), now() from generate_series(0, 3000) n`,
      [accountId],
    );
    await pool.query(
      `insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
         listed_at, installed_at, created_at, updated_at)
       select gen_random_uuid(), 'github', 'r' || n, '', $1, 'r' || n, false, false, now(), now(), now(), now(), now()
       from generate_series(1, 3000) n`,
      [accountId],
    );
    await pool.query(`
      insert into streams (repository_id, name, covers, known_until, completed_at, full_scan_at, is_deep)
      select id, 'issues', '{issue}', now(), now(), now(), true from repositories;
      insert into repository_totals (repository_id) select id from repositories;
      insert into contributor_totals (repository_id, account_id, commits, issues, pull_requests, reviews, discussions)
      select r.id, a.id, 1, 0, 0, 0, 0 from repositories r join accounts a on 'r' || a.external_id = r.external_id`);
    await pool.query('vacuum analyze');
    const source = createIssueSource({ externalId: 'r1', name: 'r1' }, () => ({ id: 'new', author: '1', total: 1 }));
    const statements = await watchPlans(database, (connection) =>
      collectNamedRepository(
        syncContextOf(connection, source),
        { accountId, repository: 'r1', withPrivate: false },
        unstoppedWork,
      ),
    );
    const fullScans = statements.filter(({ scannedTables }) => scannedTables.some((table) => large.has(table)));
    assert.deepEqual(
      fullScans.map(({ text }) => text),
      [],
    );
    const { rows } = await pool.query('select count(*) from contributions');
    assert.deepEqual(rows, [{ count: 1 }]);
  });
});
