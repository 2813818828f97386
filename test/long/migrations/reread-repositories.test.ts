import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { openDatabase } from '../../../src/database/open.ts';
import { createTestDatabase } from '../../database.ts';
import { addRepository } from '../../integration/contributions/stored-repository.ts';

describe('the migration that reads repositories again', () => {
  it('makes achievement files with conditions on file paths due again with an upgrade', async () => {
    await using created = await createTestDatabase({ withTables: false });
    const options = { databaseUrl: created.url, dataDir: '/nonexistent', log: () => {} };
    const older = await openDatabase({ ...options, upTo: '0011-details-asked-anew' });
    try {
      const id = await addRepository(older.connection);
      await sql`
      insert into achievement_files (repository_id, revision, text, reports, read_at)
      values (${id}, 'tip', 'condition: "files in [''a.ts'']"', '[]', now())`.execute(older.connection);
    } finally {
      await older.close();
    }
    const newer = await openDatabase(options);
    try {
      const { rows } = await sql`select revision from achievement_files`.execute(newer.connection);
      assert.deepEqual(rows, [{ revision: null }]);
    } finally {
      await newer.close();
    }
  });
});
