import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findDueAddresses, saveResolved } from '../../../src/contributions/identity-store.ts';
import type { Database } from '../../../src/database/connection.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { createTestDatabase } from '../../database.ts';
import { addRepository } from '../../integration/contributions/stored-repository.ts';

const knownUntil = new Date('2026-06-14T09:00:00Z');
const now = new Date('2026-06-15T12:00:00Z');

/**
 * Stores addresses as an earlier release did: all of them occur in one repository, and one in a second repository too.
 */
async function fill({ connection, pool }: Database): Promise<string> {
  const id = await addRepository(connection);
  await pool.query(
    `insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at, listed_at,
       created_at, updated_at)
     select gen_random_uuid(), 'github', '2', '2', owner_id, 'loom', false, false, now(), now(), now(), now()
     from repositories`,
  );
  await pool.query(
    `insert into streams (repository_id, name, covers, known_until) select id, 'commits', '{commit}', $1 from repositories`,
    [knownUntil],
  );
  await pool.query(
    `insert into identities (provider, email, account_id, resolved_at)
     select 'github', email, case when email = 'found@x' then (select id from accounts) end, resolved_at
     from (values ('found@x', timestamptz '2026-06-01'), ('author@x', '2026-06-02'), ('co-author@x', '2026-06-01'),
       ('new@x', null), ('erased 5', '9999-01-01')) as t (email, resolved_at)`,
  );
  await pool.query(
    `insert into commits (repository_id, oid, authored_at, committed_at, scan_number, identity_ids)
     select r.id, '\\x01', now(), now(), 1, array(
       select i.id from identities i join unnest(array['author@x', 'co-author@x', 'found@x', 'new@x', 'erased 5'])
         with ordinality as t (email, place) using (email) order by place)
     from repositories r where name = 'engine'`,
  );
  await pool.query(
    `insert into repository_identities (repository_id, identity_id, oid)
     select r.id, i.id, '\\x01' from repositories r cross join identities i where r.name = 'engine' or i.email = 'found@x'`,
  );
  await pool.query(
    `insert into repository_totals (repository_id, commits, issues, issues_closed, pull_requests, pull_requests_merged,
       reviews, discussions, discussions_answered, commits_counted) values ($1, 1, 0, 0, 0, 0, 0, 0, 0, true)`,
    [id],
  );
  return id;
}

describe('the migration that corrects lost accounts', () => {
  it('retries addresses that an earlier release stored without an account, but no found or erased ones', async () => {
    await using created = await createTestDatabase({ withTables: false });
    const options = { databaseUrl: created.url, dataDir: '/nonexistent', log: (_line: string) => {} };
    const older = await openDatabase({ ...options, upTo: '0014-icons' });
    const id = await fill(older);
    await older.close();
    const newer = await openDatabase(options);
    try {
      const { connection, pool } = newer;
      const rowsOf = async (query: string): Promise<unknown[]> => (await pool.query(query)).rows;
      const due = await findDueAddresses(connection, id, { now, maxRetries: 10 });
      assert.deepEqual(
        due.addresses.map(({ email, isRetry }) => [email, isRetry]),
        [
          ['new@x', false],
          ['co-author@x', true],
          ['author@x', true],
        ],
      );
      assert.equal((await findDueAddresses(connection, id, { now, maxRetries: 1 })).isMore, true);
      const invalidated = await rowsOf(
        'select r.name, s.invalidated_at from streams s join repositories r on r.id = s.repository_id order by r.name',
      );
      assert.deepEqual(invalidated, [
        { name: 'engine', invalidated_at: knownUntil },
        { name: 'loom', invalidated_at: null },
      ]);
      const resolved = await rowsOf(
        `select email, account_id is not null as has_account from identities where resolved_at is not null order by email`,
      );
      assert.deepEqual(resolved, [
        { email: 'erased 5', has_account: false },
        { email: 'found@x', has_account: true },
      ]);
      const authors = await rowsOf(
        'select i.email from repository_identities used join identities i on i.id = used.identity_id where used.is_author',
      );
      assert.deepEqual(authors, [{ email: 'author@x' }]);
      const { rows: accounts } = await pool.query<{ id: string }>('select id from accounts');
      await saveResolved(connection, [{ id: due.addresses[2]?.id ?? 0, accountId: accounts[0]?.id ?? '' }], now);
      assert.deepEqual(await rowsOf('select commits_counted from repository_totals'), [{ commits_counted: false }]);
    } finally {
      await newer.close();
    }
  });
});
