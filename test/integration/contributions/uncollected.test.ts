import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { uncollectedKinds } from '../../../src/contributions/uncollected-store.ts';
import type { Connection } from '../../../src/database/connection.ts';
import { openTestDatabase } from '../../database.ts';
import { addRepository } from './stored-repository.ts';

/** Stores a completely read repository with one part of a response that could not be read. */
async function addSkipped(connection: Connection, kind: string, { isCounted }: { isCounted: boolean }): Promise<void> {
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
}

describe('uncollectedKinds', () => {
  const cases: [string, string[]][] = [
    ['issue', ['issue']],
    ['pull_request', ['pull_request', 'review']],
    ['issue_or_pull_request', ['issue', 'pull_request']],
    ['label', []],
  ];
  for (const [kind, expected] of cases) {
    it(`returns ${expected.join(' and ') || 'nothing'} for a skipped ${kind}`, async () => {
      await using opened = await openTestDatabase();
      const { connection } = opened.database;
      await addSkipped(connection, kind, { isCounted: false });
      const { rows } = await sql<{
        kinds: string[];
      }>`select ${uncollectedKinds('public')} as kinds from accounts a`.execute(connection);
      assert.deepEqual(rows[0]?.kinds.toSorted(), expected);
    });
  }

  it('returns nothing for a part without which the numbers are complete', async () => {
    await using opened = await openTestDatabase();
    const { connection } = opened.database;
    await addSkipped(connection, 'issue', { isCounted: true });
    const { rows } = await sql<{
      kinds: string[];
    }>`select ${uncollectedKinds('public')} as kinds from accounts a`.execute(connection);
    assert.deepEqual(rows[0]?.kinds, []);
  });
});
