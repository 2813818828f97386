import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findStoredRepositories } from '../../../src/app/owners/erasure/store.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { addRepository } from '../contributions/stored-repository.ts';

describe('findStoredRepositories', () => {
  it('returns the ids that are stored, and takes names that are no ids', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const id = await addRepository(connection);
    const absent = id.replaceAll(/\w/g, '0');
    assert.deepEqual(await findStoredRepositories(connection, [absent, id, 'lost+found', '']), new Set([id]));
    assert.deepEqual(await findStoredRepositories(connection, []), new Set());
  });
});
