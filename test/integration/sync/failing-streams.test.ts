import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { completeStream, failStream } from '../../../src/sync/streams/stream-store.ts';
import { openTestDatabase } from '../../database.ts';
import { storeRepository } from '../doctor/store-faults.ts';

const at = (hour: number): Date => new Date(Date.UTC(2026, 2, 1, hour));
const failure = { code: 'provider_denied', reason: 'Forbidden', restart: false };

describe('streams that fail', () => {
  it('keep the time of the first failure until a page is read, and announce their owner at that failure alone', async () => {
    await using opened = await openTestDatabase();
    const { connection } = opened.database;
    const id = await storeRepository(connection, { name: 'engine', changedHoursAgo: 1 });
    const times = async () => {
      const { rows } = await sql<{ first: Date | null; last: Date | null; announced: number }>`
        select failing_since as first, failed_at as last, (
          select count(*)::integer from announcements where kind = 'account' and key = (select owner_id::text from repositories)
        ) as announced
        from streams where repository_id = ${id} and name = 'issues'`.execute(connection);
      return rows[0];
    };
    const before = (await times())?.announced ?? assert.fail();
    await failStream(connection, id, 'issues', { ...failure, failedAt: at(1) });
    await failStream(connection, id, 'issues', { ...failure, code: 'not_found', failedAt: at(2) });
    assert.deepEqual(await times(), { first: at(1), last: at(2), announced: before + 1 });
    const end = { knownUntil: at(3), completedAt: at(3), wasFull: true, wasDeep: true };
    await completeStream(connection, id, 'issues', end);
    assert.deepEqual(await times(), { first: null, last: null, announced: before + 1 });
    await failStream(connection, id, 'issues', { ...failure, failedAt: at(4) });
    assert.deepEqual(await times(), { first: at(4), last: at(4), announced: before + 2 });
  });
});
