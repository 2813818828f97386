import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { forgetUncounted, takeChangedContributors } from '../../../src/contributions/changed-store.ts';
import type { Connection } from '../../../src/database/connection.ts';
import { openTestDatabase } from '../../database.ts';
import { addRepository } from './stored-repository.ts';

async function recordChange(connection: Connection, repositoryId: string): Promise<void> {
  await sql`
    insert into changed_contributors (repository_id, account_id, is_update)
    select id, owner_id, true from repositories where id = ${repositoryId}
    on conflict (repository_id, account_id) do update set is_update = true`.execute(connection);
}

describe('accounts whose stored numbers changed', () => {
  for (const [what, fetchedAt] of [
    ['are taken', '2026-06-15T12:00:00Z'],
    ['of which no totals are updated are forgotten', null],
  ] as const) {
    it(`${what} without a wait for a transaction that records them again, and then once it has ended`, async () => {
      await using opened = await openTestDatabase();
      const { connection } = opened.database;
      const repositoryId = await addRepository(connection);
      await sql`update accounts set fetched_at = ${fetchedAt}::timestamptz`.execute(connection);
      await recordChange(connection, repositoryId);
      const take = (): Promise<number> =>
        connection.transaction().execute(async (transaction) => {
          // A wait for the other transaction would be an error.
          await sql`set local lock_timeout = '500ms'`.execute(transaction);
          await forgetUncounted(transaction);
          return (await takeChangedContributors(transaction, { limit: 10, ownerId: null })).length;
        });
      const stored = async (): Promise<number> =>
        (await connection.selectFrom('changed_contributors').select('account_id').execute()).length;
      await connection.transaction().execute(async (recording) => {
        await recordChange(recording, repositoryId);
        assert.deepEqual([await take(), await stored()], [0, 1]);
      });
      assert.deepEqual([await take(), await stored()], [fetchedAt === null ? 0 : 1, 0]);
    });
  }
});
