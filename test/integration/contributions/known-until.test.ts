import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { knownUntil } from '../../../src/contributions/items/collection-store.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { storeRepository } from '../boards/store-repository.ts';

const readAt = new Date('2026-06-01T00:00:00Z');
const listedAt = new Date('2026-06-20T12:00:00Z');
const shownBy = new Date('2026-06-20T11:55:00Z');
const earlier = new Date('2026-05-31T00:00:00Z');
const later = new Date('2026-06-20T11:00:00Z');

/** Columns of a stream that was read at `readAt`, and in which the last listing shows nothing newer. */
const unchanged = {
  name: 'issues',
  covers: ['issue'],
  known_until: readAt,
  completed_at: readAt,
  full_scan_at: readAt,
  provider_total: 3,
  provider_changed_at: earlier,
};

describe('the time until which a stream is known', () => {
  let opened: Awaited<ReturnType<typeof reuseTestDatabase>>;
  let repositoryId: string;

  before(async () => {
    opened = await reuseTestDatabase();
    const repository = { owner: 'ada', name: 'app', items: [], newId: uuidv7 };
    ({ repositoryId } = await storeRepository(opened.database.pool, repository));
  });

  after(() => opened[Symbol.asyncDispose]());

  async function findKnown(
    columns: object,
    repository: { collected_at: Date | null; listed_at: Date } = { collected_at: later, listed_at: listedAt },
  ): Promise<Date | null | undefined> {
    const { connection } = opened.database;
    await connection.updateTable('repositories').set(repository).where('id', '=', repositoryId).execute();
    await sql`delete from streams where repository_id = ${repositoryId}`.execute(connection);
    await connection
      .insertInto('streams')
      .values({ repository_id: repositoryId, ...unchanged, ...columns })
      .execute();
    const { rows } = await sql<{ known: Date | null }>`
      select ${knownUntil} as known from streams s join repositories r on r.id = s.repository_id`.execute(connection);
    return rows[0]?.known;
  }

  it('is shortly before the last listing after which a repository with nothing new in the stream was collected', async () => {
    const collected = { collected_at: new Date('2026-06-20T12:00:01Z'), listed_at: listedAt };
    assert.deepEqual(await findKnown({}, collected), shownBy);
    assert.deepEqual(await findKnown({ provider_changed_at: null, provider_total: 0 }, collected), shownBy);
    const history = { name: 'commits', covers: ['commit'], provider_revision: 'a', cursor: 'a' };
    assert.deepEqual(await findKnown(history, collected), shownBy);
    const older = { collected_at: later, listed_at: listedAt };
    assert.deepEqual(await findKnown({}, older), new Date('2026-06-20T10:55:00Z'));
  });

  it('is that of the last read while anything reported is still to be read', async () => {
    for (const reported of [
      { provider_changed_at: later },
      { invalidated_at: later },
      { full_scan_wanted_at: later },
      { scan_started_at: later },
      { failure: 'denied', failed_at: later },
      { name: 'commits', covers: ['commit'], provider_revision: 'b', cursor: 'a' },
    ]) {
      assert.deepEqual(await findKnown(reported), readAt, Object.keys(reported).join());
    }
  });

  it('is that of the last read where listings say nothing about the stream', async () => {
    assert.deepEqual(await findKnown({ provider_changed_at: null, provider_total: null }), readAt);
    assert.deepEqual(await findKnown({ provider_changed_at: null, provider_total: 3 }), readAt);
    assert.deepEqual(await findKnown({ withheld_at: readAt }), readAt);
    assert.deepEqual(await findKnown({}, { collected_at: null, listed_at: listedAt }), readAt);
    assert.equal(await findKnown({ known_until: null, completed_at: null }), null);
  });
});
