import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  addPendingForPullRequests,
  changeNeeds,
  findPendingDetails,
  saveChangedFiles,
} from '../../../src/contributions/detail-store.ts';
import { openTestDatabase } from '../../database.ts';
import { addRepository } from './stored-repository.ts';

describe('pending details', () => {
  it('keeps a pull request due that changes while its details are fetched', async () => {
    await using opened = await openTestDatabase();
    const { connection } = opened.database;
    const id = await addRepository(connection);
    await changeNeeds(connection, id, ['pull_request_files']);
    await addPendingForPullRequests(connection, id, [7, 8, 7]);
    const pending = await findPendingDetails(connection, id, 'pull_request_files', { limit: 10 });
    assert.deepEqual(
      pending.map(({ key }) => key),
      ['7', '8'],
    );
    await addPendingForPullRequests(connection, id, [8]);
    await saveChangedFiles(connection, id, pending, new Map());
    const left = await findPendingDetails(connection, id, 'pull_request_files', { limit: 10 });
    assert.deepEqual(
      left.map(({ key }) => key),
      ['8'],
    );
    await saveChangedFiles(connection, id, left, new Map());
    assert.deepEqual(await findPendingDetails(connection, id, 'pull_request_files', { limit: 10 }), []);
  });
});
