import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { addJob } from '../../../src/database/queue/added-jobs.ts';
import { saveDeliveries } from '../../../src/sync/deliveries/store.ts';
import { reuseTestDatabase } from '../../reused-database.ts';

const hostile = 'a\0b\ud800c\\u0000';
const clean = 'ab\ufffdc\\u0000';

describe('cleaning of the parameters of statements', () => {
  it('removes NUL and halves of surrogate pairs, as text, in lists, objects and JSON', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const object = { [hostile]: [hostile] };
    const { rows } = await sql<Record<string, unknown>>`
      select ${hostile}::text as text, ${[hostile, [hostile]].flat()}::text[] as list,
        ${JSON.stringify(object)}::jsonb as json, ${object}::jsonb as object, ${JSON.stringify(hostile)}::jsonb as scalar,
        ${Buffer.from(hostile)}::bytea as bytes, ${new Date(0)}::timestamptz as at`.execute(connection);
    assert.deepEqual(rows[0], {
      text: clean,
      list: [clean, clean],
      json: { [clean]: [clean] },
      object: { [clean]: [clean] },
      scalar: clean,
      bytes: Buffer.from(hostile),
      at: new Date(0),
    });
    const named = await pool.query({ text: 'select $1::text as text', values: [hostile] });
    assert.deepEqual(named.rows, [{ text: clean }]);
  });

  it('keeps every text that can be stored, also inside JSON', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const anyText = fc.string({
      unit: fc.constantFrom('\\', 'u', '0000', 'd83d', 'de00', '"', '{', '😀', 'é', '[', ' '),
    });
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const json = JSON.stringify({ text });
        const { rows } = await sql<{ json: object }>`select ${json}::json as json`.execute(connection);
        assert.deepEqual(rows[0]?.json, { text });
      }),
      { numRuns: 200 },
    );
  });

  it('lets neither a batch of deliveries nor a job fail', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const change = { type: 'account', account: '1', name: hostile } as const;
    const received = ['1', '2'].map((id) => ({
      provider: 'github',
      id,
      event: hostile,
      changes: [id === '1' ? change : { ...change, name: 'x' }],
      receivedAt: new Date(),
    }));
    assert.equal((await saveDeliveries(connection, received)).size, 2);
    const { rows } = await sql<{ name: string }>`
      select changes -> 0 ->> 'name' as name from deliveries order by id`.execute(connection);
    assert.deepEqual(rows, [{ name: clean }, { name: 'x' }]);
    await addJob(connection, { task: 'x', key: hostile, payload: { name: hostile }, priority: 1 });
  });
});
