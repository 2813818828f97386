import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { erasePerson } from '../../../bench/erase-person.ts';
import { findById } from '../../../src/accounts/store.ts';
import { isOnCluster, openTestDatabase } from '../../database.ts';
import { analyzeTables, watchPlans } from '../plans.ts';

describe('erasure of a person', () => {
  it('finds all traces of a person by indexes', { skip: isOnCluster }, async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const { pool } = database;
    await pool.query(`
      insert into accounts (id, provider, external_id, handle, type, name, avatar_url, named_at, created_at, updated_at)
      select gen_random_uuid(), 'github', n::text, '', 'user', 'account-' || n, 'https://x.org/' || n, now(), now(), now()
      from generate_series(1, 1500) n;
      insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
        listed_at, created_at, updated_at)
      select gen_random_uuid(), 'github', n::text, '', a.id, 'repository-' || n, false, false, now(), now(), now(), now()
      from generate_series(1, 1500) n join accounts a on a.external_id = n::text;
      insert into contributions (repository_id, kind, external_id, account_id, created_at, updated_at, seen_at,
        assignees, reviewers, reactors, emojis)
      select r.id, 'issue', n::text, a.id, now(), now(), now(),
        case when n % 20 = 0 then array[a.id] end, case when n % 30 = 0 then array[a.id] else '{}' end,
        case when n % 25 = 0 then array[null, a.id] end, case when n % 25 = 0 then array['heart', 'eyes'] end
      from generate_series(1, 2400) n join repositories r on r.external_id = (n % 1500 + 1)::text
        join accounts a on a.external_id = (n % 1499 + 2)::text;
      insert into contributor_totals (repository_id, account_id, commits, issues, pull_requests, reviews, discussions)
      select repository_id, account_id, 0, count(*), 0, 0, 0 from contributions group by 1, 2;
      insert into contribution_days (repository_id, account_id, day, issues)
      select repository_id, account_id, '2026-01-01', count(*) from contributions group by 1, 2;
      insert into changed_contributors (repository_id, account_id, is_update)
      select repository_id, account_id, true from contributor_totals;
      insert into pending_evaluations (repository_id, account_id)
      select r.id, r.owner_id from repositories r;
      insert into identities (provider, email, account_id) select 'github', name || '@x.org', id from accounts`);
    await analyzeTables({ pool });
    const { rows: chosen } = await pool.query<{ id: string }>(
      `select reactors[2] as id from contributions where assignees <> '{}' and reviewers <> '{}' and reactors <> '{}' limit 1`,
    );
    const account = (await findById(database.connection, chosen[0]?.id ?? '')) ?? assert.fail();
    const statements = await watchPlans(database, (connection) => erasePerson(connection, account, new Date()));
    const large = new Set([
      'accounts',
      'repositories',
      'contributions',
      'contributor_totals',
      'contribution_days',
      'changed_contributors',
      'identities',
      'pending_evaluations',
    ]);
    for (const { text, scannedTables } of statements) {
      assert.deepEqual(
        scannedTables.filter((table) => large.has(table)),
        [],
        text,
      );
    }
    const { rows } = await pool.query(
      `select count(*) as traces from contributions
       where $1 = any(array[account_id] || assignees || reviewers || reactors)`,
      [account.id],
    );
    assert.deepEqual(rows, [{ traces: 0 }]);
    const { rows: kept } = await pool.query(
      `select count(*) as "withoutPlace" from contributions where cardinality(reactors) <> cardinality(emojis)`,
    );
    assert.deepEqual(kept, [{ withoutPlace: 0 }]);
  });
});
