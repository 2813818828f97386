import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { findUncollected } from '../../../src/contributions/items/collection-store.ts';
import { sumOverOwned } from '../../../src/contributions/totals/owner-sum-store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { addRepository } from './stored-repository.ts';

/** Stores a completely read repository with one part of a response that could not be read. */
async function addSkipped(
  connection: Connection,
  kind: string,
  { isCounted }: { isCounted: boolean },
): Promise<string> {
  const id = await addRepository(connection);
  await sql`update accounts set listed_at = now()`.execute(connection);
  await sql`
    insert into streams (repository_id, name, covers, completed_at)
    values (${id}, 'all', '{commit,issue,pull_request,review,discussion,star}', now())`.execute(connection);
  await sql`
    insert into skipped_items (provider, repository_id, stream, kind, reason, path, explanation, is_stored, is_counted,
      items, first_seen_at, seen_at)
    values ('github', ${id}, 'all', ${kind}, 'unreadable', '/*', '', false, ${isCounted}, 1, now(), now())`.execute(
    connection,
  );
  return id;
}

/** @returns the kinds that are not completely known of the repository's owner, and of itself. */
async function readUncollected(connection: Connection, repositoryId: string): Promise<string[][]> {
  const { rows } = await sql<{ id: string }>`select owner_id as id from repositories`.execute(connection);
  const { uncollected } = await sumOverOwned(connection, rows[0]?.id ?? '', 'public');
  return [uncollected, await findUncollected(connection, repositoryId)];
}

describe('the kinds of contributions that are not completely known', () => {
  const cases: [string, string[]][] = [
    ['issue', ['issue']],
    ['pull_request', ['pull_request', 'review']],
    ['issue_or_pull_request', ['issue', 'pull_request']],
    ['label', []],
  ];
  for (const [kind, expected] of cases) {
    it(`are ${expected.join(' and ') || 'none'} with a skipped ${kind}`, async () => {
      await using opened = await reuseTestDatabase();
      const { connection } = opened.database;
      const id = await addSkipped(connection, kind, { isCounted: false });
      assert.deepEqual(await readUncollected(connection, id), [expected, expected]);
    });
  }

  it('are none with a skipped part without which the numbers are complete', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const id = await addSkipped(connection, 'issue', { isCounted: true });
    assert.deepEqual(await readUncollected(connection, id), [[], []]);
  });
});
