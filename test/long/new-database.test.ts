import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDatabase, openUnchanged } from '../../src/database/connections/open.ts';
import { migrate } from '../../src/database/migrations/migrate.ts';
import { createTestDatabase } from '../database.ts';

describe('tables of an empty database', () => {
  it('are made without a line about a migration', async () => {
    await using created = await createTestDatabase({ withTables: false });
    const database = await openUnchanged({ databaseUrl: created.url, dataDir: '/nonexistent', log: () => {} });
    const lines: string[] = [];
    await migrate(database, { logEveryMs: 60_000, log: (line) => void lines.push(line) });
    await database.close();
    assert.deepEqual(lines, []);
  });

  it('are made once when five nodes start at the same time', async () => {
    await using created = await createTestDatabase({ withTables: false });
    const open = () => openDatabase({ databaseUrl: created.url, dataDir: '/nonexistent', log: () => {} });
    const opened = await Promise.all(Array.from({ length: 5 }, open));
    const counts = await Promise.all(
      opened.map(async ({ pool }) => (await pool.query('select count(*) from accounts')).rows.length),
    );
    assert.deepEqual(
      counts,
      Array.from({ length: 5 }, () => 1),
    );
    await Promise.all(opened.map((database) => database.close()));
  });
});
