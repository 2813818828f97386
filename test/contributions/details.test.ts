import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { changeNeeds, findLacking, lackPullRequests, saveChangedFiles } from '../../src/contributions/detail-store.ts';
import { openTestDatabase } from '../database.ts';

test('what changes while it is asked for is asked for again', async () => {
  await using opened = await openTestDatabase();
  const { connection } = opened.database;
  const { rows } = await sql<{ id: string }>`
    with account as (
      insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
      values (gen_random_uuid(), 'github', '1', '1', 'user', 'ada', now(), now(), now()) returning id
    )
    insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at, listed_at,
      created_at, updated_at)
    select gen_random_uuid(), 'github', '1', '1', id, 'engine', false, false, now(), now(), now(), now() from account
    returning id`.execute(connection);
  const id = rows[0]?.id ?? '';
  await changeNeeds(connection, id, ['pull_request_files']);
  await lackPullRequests(connection, id, [7, 8, 7]);
  const asked = await findLacking(connection, id, 'pull_request_files', { limit: 10 });
  assert.deepEqual(
    asked.map(({ key }) => key),
    ['7', '8'],
  );
  await lackPullRequests(connection, id, [8]);
  await saveChangedFiles(connection, id, asked, new Map());
  const left = await findLacking(connection, id, 'pull_request_files', { limit: 10 });
  assert.deepEqual(
    left.map(({ key }) => key),
    ['8'],
  );
  await saveChangedFiles(connection, id, left, new Map());
  assert.deepEqual(await findLacking(connection, id, 'pull_request_files', { limit: 10 }), []);
});
