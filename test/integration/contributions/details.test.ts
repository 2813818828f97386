import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import {
  addPendingForPullRequests,
  addPendingWhereAbsent,
  changeNeeds,
  findPendingDetails,
  saveChangedFiles,
} from '../../../src/contributions/items/detail-store.ts';
import { notePendingDetails } from '../../../src/contributions/items/pending-store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { addRepository } from './stored-repository.ts';

/** Stores pull requests whose numbers are their external ids. */
async function addPullRequests(
  connection: Connection,
  repositoryId: string,
  numbers: readonly number[],
): Promise<void> {
  await sql`
    insert into contributions (repository_id, kind, external_id, number, labels, created_at, updated_at, seen_at)
    select ${repositoryId}, 'pull_request', number, number, '{}', now(), now(), now()
    from unnest(${[...numbers]}::integer[]) as number`.execute(connection);
}

async function storedFiles(connection: Connection): Promise<(string[] | null)[]> {
  const { rows } = await sql<{ files: string[] | null }>`
    select files from contributions order by number`.execute(connection);
  return rows.map(({ files }) => files);
}

async function pendingKeys(connection: Connection, repositoryId: string): Promise<string[]> {
  const pending = await findPendingDetails(connection, repositoryId, 'pull_request_files', { limit: 10 });
  return pending.map(({ key }) => key);
}

const reportAgain = (connection: Connection, id: string, externalIds: readonly string[]): Promise<void> =>
  inTransaction(connection, (transaction) => addPendingForPullRequests(transaction, id, externalIds));

const saveFiles = (connection: Connection, ...saved: Tail<Parameters<typeof saveChangedFiles>>): Promise<void> =>
  inTransaction(connection, (transaction) => saveChangedFiles(transaction, ...saved));

type Tail<Values extends unknown[]> = Values extends [unknown, ...infer Rest] ? Rest : never;

describe('pending details', () => {
  it('deletes the files of a changed pull request that no achievement needs', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const id = await addRepository(connection);
    await addPullRequests(connection, id, [7, 8]);
    const requested = ['7', '8'].map((key) => ({ key, revision: 0 }));
    await saveFiles(
      connection,
      id,
      requested,
      new Map([
        ['7', ['a.ts']],
        ['8', ['b.ts']],
      ]),
    );
    await reportAgain(connection, id, ['8']);
    assert.deepEqual(await storedFiles(connection), [['a.ts'], null]);
    assert.deepEqual(await pendingKeys(connection, id), []);
    await inTransaction(connection, (transaction) => addPendingWhereAbsent(transaction, id, 'pull_request_files'));
    await notePendingDetails(connection, id, { signal: new AbortController().signal });
    assert.deepEqual(await pendingKeys(connection, id), ['8']);
  });

  it('keeps the files of a changed pull request until they are fetched again where an achievement needs them', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const id = await addRepository(connection);
    await addPullRequests(connection, id, [7]);
    await saveFiles(connection, id, [{ key: '7', revision: 0 }], new Map([['7', ['a.ts']]]));
    await inTransaction(connection, (transaction) => changeNeeds(transaction, id, ['pull_request_files']));
    await reportAgain(connection, id, ['7']);
    assert.deepEqual(await storedFiles(connection), [['a.ts']]);
    assert.deepEqual(await pendingKeys(connection, id), ['7']);
  });

  it('keeps a pull request due that changes while its details are fetched', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const id = await addRepository(connection);
    await inTransaction(connection, (transaction) => changeNeeds(transaction, id, ['pull_request_files']));
    await addPullRequests(connection, id, [7, 8]);
    await reportAgain(connection, id, ['7', '8', '7']);
    const pending = await findPendingDetails(connection, id, 'pull_request_files', { limit: 10 });
    assert.deepEqual(
      pending.map(({ key }) => key),
      ['7', '8'],
    );
    await reportAgain(connection, id, ['8']);
    await saveFiles(connection, id, pending, new Map());
    const left = await findPendingDetails(connection, id, 'pull_request_files', { limit: 10 });
    assert.deepEqual(
      left.map(({ key }) => key),
      ['8'],
    );
    await saveFiles(connection, id, left, new Map());
    assert.deepEqual(await findPendingDetails(connection, id, 'pull_request_files', { limit: 10 }), []);
  });
});
