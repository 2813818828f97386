import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refersToErased } from '../../../src/database/schema/erasure.ts';
import { reuseTestDatabase } from '../../reused-database.ts';

describe('rows that refer to erased accounts', () => {
  it('are recognized by the foreign key of each table', async () => {
    await using opened = await reuseTestDatabase();
    const { rows } = await opened.database.pool.query<{ table: string; constraint: string }>(
      `select conrelid::regclass::text as table, conname as constraint from pg_constraint
       where contype = 'f' and confrelid = 'accounts'::regclass`,
    );
    assert.ok(rows.some(({ table }) => table === 'audit_entries'));
    const others = rows.filter((row) => !refersToErased(Object.assign(new Error(), { code: '23503', ...row })));
    assert.deepEqual(others, []);
  });
});
