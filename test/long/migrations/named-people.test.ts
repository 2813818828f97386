import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readBoardsFile } from '../../../src/boards/file/read-file.ts';
import { namedPeopleOf } from '../../../src/boards/people/named-people.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { createTestDatabase } from '../../database.ts';

const grant = { points: 1, reason: 'x', granted_by: 'y' };
const boards = [
  {
    people: { exclude: ['CI[bot]', 'gitea/bo'] },
    teams: { red: ['@Ada', '@engines/core', 'gitea/cy'], blue: [] },
    grants: [
      { person: 'dora', ...grant },
      { person: 'ADA', ...grant },
    ],
  },
  {},
].map((fields, index) => ({
  board: {
    name: 'x',
    slug: `board-${index}`,
    repositories: ['engines/*'],
    points: [{ action: 'commit', points: 1 }],
    ...fields,
  },
}));

describe('the names of people on boards after migration 0110', () => {
  it('are those that a new file of the same boards would have', async () => {
    await using created = await createTestDatabase({ withTables: false });
    const options = { databaseUrl: created.url, dataDir: '/nonexistent', log: () => {} };
    const old = await openDatabase({ ...options, upTo: '0107-parts-of-jobs' });
    const { boards: read, reports } = readBoardsFile(Buffer.from(JSON.stringify({ boards })), { provider: 'github' });
    assert.deepEqual([read.length, reports.filter(({ severity }) => severity === 'error')], [2, []]);
    await old.pool.query(`
      insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
      values ('00000000-0000-7000-8000-000000000001', 'github', '1', '', 'organization', 'engines', now(), now(), now())`);
    for (const { slug, definition } of read) {
      await old.pool.query(
        `insert into boards (id, owner_id, slug, place, definition, is_current, is_private, owners, created_at)
         values (gen_random_uuid(), '00000000-0000-7000-8000-000000000001', $1, 1, $2, true, false, '{}', now())`,
        [slug, JSON.stringify(definition)],
      );
    }
    await old.close();
    const database = await openDatabase(options);
    const { rows } = await database.pool.query<{ people: string[] }>('select people from boards order by slug');
    await database.close();
    assert.deepEqual(
      rows.map(({ people }) => people.toSorted()),
      read.map((board) => namedPeopleOf(board).toSorted()),
    );
    assert.deepEqual(rows[0]?.people.toSorted(), [
      'gitea/bo',
      'gitea/cy',
      'github/ada',
      'github/ci[bot]',
      'github/dora',
    ]);
  });
});
