import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countImported } from '../../../src/contributions/count-imported-store.ts';
import type { Database } from '../../../src/database/connections/connection.ts';
import { importLines } from '../../../src/database/copy/export.ts';
import { openTestDatabase } from '../../database.ts';

const at = '2026-05-01T00:00:00Z';
const toId = (number: number): string => `00000000-0000-7000-8000-00000000000${number}`;
const toAccount = (number: number, more: object): object => ({
  id: toId(number),
  provider: 'github',
  external_id: String(number),
  handle: '',
  type: 'user',
  name: `person-${number}`,
  named_at: at,
  created_at: at,
  updated_at: at,
  ...more,
});
const repository = {
  id: toId(9),
  provider: 'github',
  external_id: '9',
  handle: '',
  owner_id: toId(1),
  name: 'engine',
  is_private: true,
  is_fork: false,
  named_at: at,
  listed_at: at,
  created_at: at,
  updated_at: at,
};
const item = { repository_id: toId(9), created_at: at, updated_at: at, seen_at: at };

/** Imports tables as a version wrote them. @param migration the newest one of the version. */
async function importTables(database: Database, migration: string, tables: Record<string, object[]>): Promise<void> {
  async function* lines(): AsyncGenerator<string, void, undefined> {
    for (const [table, rows] of Object.entries(tables)) {
      yield JSON.stringify({ table });
      for (const row of rows) yield JSON.stringify(row);
    }
  }
  await importLines(database, { migration, lines: lines() }, countImported);
}

async function read({ pool }: Database, statement: string): Promise<unknown[][]> {
  const { rows } = await pool.query<Record<string, unknown>>(statement);
  return rows.map((row) => Object.values(row));
}

describe('rows of former exports', () => {
  it('lose deleted users and mannequins, and name bots as such', async () => {
    await using opened = await openTestDatabase();
    await importTables(opened.database, '0009-details-on-demand', {
      accounts: [
        toAccount(1, {}),
        toAccount(2, { handle: 'M_kgDOabc' }),
        toAccount(3, { handle: 'BOT_kgDOabc', name: 'helper[bot]' }),
        toAccount(4, { external_id: '198982749', name: 'Copilot' }),
      ],
      repositories: [repository],
      contributions: [
        {
          ...item,
          kind: 'issue',
          external_id: '1',
          account_id: toId(2),
          assignees: [toId(1), toId(2)],
          reactors: [toId(2), toId(1)],
        },
        { ...item, kind: 'issue', external_id: '2', account_id: toId(1) },
      ],
    });
    assert.deepEqual(await read(opened.database, 'select name, type from accounts order by id'), [
      ['person-1', 'user'],
      ['helper[bot]', 'bot'],
      ['copilot-swe-agent[bot]', 'bot'],
    ]);
    assert.deepEqual(
      await read(opened.database, 'select account_id, assignees, reactors from contributions order by external_id'),
      [
        [null, [toId(1)], [null, toId(1)]],
        [toId(1), null, null],
      ],
    );
    assert.deepEqual(await read(opened.database, 'select account_id, issues from contributor_totals'), [[toId(1), 1]]);
    assert.deepEqual(await read(opened.database, 'select issues from repository_totals'), [[2]]);
  });

  it('have the names of columns and of stored fields of today', async () => {
    await using opened = await openTestDatabase();
    await importTables(opened.database, '0009-details-on-demand', {
      accounts: [
        toAccount(1, {
          asked_at: at,
          gone_at: null,
          listing_cursor: '{"access":"app","page":2}',
          provider_memory: { windows: [{ askedAt: at, commits: 1 }] },
        }),
      ],
      repositories: [{ ...repository, access: 'app', gone_at: at }],
      seen_totals: [{ account_id: toId(1), access: 'app', counters: {}, missing: [], asked_at: at }],
      streams: [{ repository_id: toId(9), name: 'issues', covers: ['issue'], hinted_at: at, scan_started_at: null }],
    });
    const [account] = await read(
      opened.database,
      'select fetched_at = checked_at, listing_cursor, provider_memory from accounts',
    );
    assert.deepEqual(account, [
      true,
      '{"credentialName":"app","page":2}',
      { windows: [{ commits: 1, requestedAt: at }] },
    ]);
    assert.deepEqual(await read(opened.database, 'select credential_name, deleted_at is null from repositories'), [
      ['app', false],
    ]);
    assert.deepEqual(await read(opened.database, 'select credential_name from reported_totals'), [['app']]);
    assert.deepEqual(await read(opened.database, 'select invalidated_at is null from streams'), [[false]]);
  });

  it('have numbered addresses looked up again, after they were counted', async () => {
    await using opened = await openTestDatabase();
    const addresses = ['1+ada@git.example.org', '1+ada@users.noreply.github.com'];
    await importTables(opened.database, '0132-bound-seasons', {
      accounts: [toAccount(1, {})],
      repositories: [repository],
      identities: addresses.map((email, id) => ({
        id: id + 1,
        provider: 'github',
        email,
        account_id: toId(1),
        resolved_at: at,
      })),
      commits: [
        { repository_id: toId(9), oid: '\\x01', authored_at: at, committed_at: at, scan_number: 1, identity_ids: [1] },
      ],
      repository_totals: [{ repository_id: toId(9), commits: 77, commits_counted: true }],
    });
    assert.deepEqual(
      await read(
        opened.database,
        'select account_id is null as lost, forgotten_until is null as kept from identities order by id',
      ),
      [
        [true, false],
        [false, true],
      ],
    );
    assert.deepEqual(await read(opened.database, 'select commits from contributor_totals'), [[1]]);
    assert.deepEqual(await read(opened.database, 'select commits from repository_totals'), [[1]]);
  });

  it('leave commits missing that their version had not counted', async () => {
    await using opened = await openTestDatabase();
    await importTables(opened.database, '0140-states-of-reviews', {
      accounts: [toAccount(1, {})],
      repositories: [{ ...repository, is_private: false }],
      commits: [
        { repository_id: toId(9), oid: '\\x01', authored_at: at, committed_at: at, scan_number: 1, identity_ids: [] },
      ],
      repository_totals: [{ repository_id: toId(9), commits: 5, commits_counted: false }],
    });
    assert.deepEqual(await read(opened.database, 'select commits, commits_counted from repository_totals'), [
      [0, false],
    ]);
    assert.deepEqual(await read(opened.database, 'select uncollected_commits from summed_repositories'), [[1]]);
  });

  it('name the people of the rule of a board', async () => {
    await using opened = await openTestDatabase();
    const definition = { provider: 'github', people: { exclude: ['@Ada'] }, grants: [{ person: 'gitlab/bob' }] };
    await importTables(opened.database, '0109-seasons-in-parts', {
      accounts: [toAccount(1, {})],
      boards: [
        {
          id: toId(5),
          owner_id: toId(1),
          slug: 'a',
          place: 0,
          definition,
          is_current: true,
          is_private: false,
          owners: [],
          created_at: at,
        },
      ],
    });
    assert.deepEqual(await read(opened.database, 'select people from boards'), [[['github/ada', 'gitlab/bob']]]);
  });
});
