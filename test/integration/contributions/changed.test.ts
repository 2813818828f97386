import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import {
  deleteUncounted,
  recordContributorsOfChanged,
  takeChangedContributors,
} from '../../../src/contributions/totals/update-queue-store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { isOnCluster } from '../../database.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { until } from '../../time.ts';
import { watchChangedRows } from '../changed-rows.ts';
import { loseConnection, loseConnectionAtStatements } from '../lost-connection.ts';
import { addRepository } from './stored-repository.ts';

async function recordChange(connection: Connection, repositoryId: string): Promise<void> {
  await sql`
    insert into changed_contributors (repository_id, account_id, is_update)
    select id, owner_id, true from repositories where id = ${repositoryId}
    on conflict (repository_id, account_id) do update set is_update = true`.execute(connection);
}

describe('accounts whose stored numbers changed', () => {
  for (const [title, fetchedAt] of [
    ['are taken', '2026-06-15T12:00:00Z'],
    ['of which no totals are updated are forgotten', null],
  ] as const) {
    it(`${title} without a wait for a transaction that records them again, and then once it has ended`, async () => {
      await using opened = await reuseTestDatabase();
      const { connection } = opened.database;
      const repositoryId = await addRepository(connection);
      await sql`update accounts set fetched_at = ${fetchedAt}::timestamptz`.execute(connection);
      await recordChange(connection, repositoryId);
      const take = (): Promise<number> =>
        connection.transaction().execute(async (transaction) => {
          // A wait for the other transaction would be an error.
          await sql`set local lock_timeout = '500ms'`.execute(transaction);
          await deleteUncounted(transaction);
          return (await takeChangedContributors(transaction, 10)).length;
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

describe('accounts whose totals are not updated', () => {
  it('are forgotten in parts, also after the connection is lost before any statement', {
    skip: isOnCluster,
  }, async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { connection, pool } = database;
    const repositoryId = await addRepository(connection);
    await pool.query(`
      insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
      select gen_random_uuid(), 'github', 'p' || n, '', 'user', 'person-' || n, now(), now(), now()
      from generate_series(1, 30) n`);
    await pool.query(
      'insert into changed_contributors (repository_id, account_id, is_update) select $1, id, true from accounts',
      [repositoryId],
    );
    const changed = await watchChangedRows(database, ['changed_contributors']);
    const work = async (lost: Connection): Promise<void> => {
      while ((await deleteUncounted(lost, 4)) > 0);
    };
    const losses = await loseConnectionAtStatements(database, work);
    assert.ok(losses > 2);
    assert.deepEqual((await pool.query('select from changed_contributors')).rows, []);
    const parts = await changed();
    assert.ok(parts.length > 5 && parts.every((rows) => rows <= 4), JSON.stringify(parts));
  });
});

describe('contributors to a repository that becomes visible, hidden or private', () => {
  const peopleCount = 5;

  /** Stores two repositories of one owner, with the same contributors. @returns the ids of the repositories. */
  async function addContributors(connection: Connection): Promise<[string, string]> {
    const repositoryId = await addRepository(connection);
    const { rows } = await sql<{ id: string }>`
      insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
        listed_at, created_at, updated_at)
      select gen_random_uuid(), provider, '2', '2', owner_id, 'other', false, false, now(), now(), now(), now()
      from repositories where id = ${repositoryId} returning id`.execute(connection);
    await sql`
      insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
      select gen_random_uuid(), 'github', 'p' || n, '', 'user', 'p' || n, now(), now(), now()
      from generate_series(1, ${peopleCount}::integer) n`.execute(connection);
    await sql`
      insert into contributor_totals (repository_id, account_id, commits, issues, pull_requests, reviews, discussions)
      select r.id, a.id, 1, 0, 0, 0, 0 from repositories r cross join accounts a`.execute(connection);
    await sql`delete from changed_contributors`.execute(connection);
    return [repositoryId, rows[0]?.id ?? ''];
  }

  const limit = 2;
  const record = (connection: Connection): Promise<boolean> => recordContributorsOfChanged(connection, limit);

  const listRecorded = async (connection: Connection): Promise<{ name: string; repository: string }[]> =>
    (
      await sql<{ name: string; repository: string }>`
        select a.name, r.name as repository from changed_contributors c join accounts a on a.id = c.account_id
        join repositories r on r.id = c.repository_id order by a.name`.execute(connection)
    ).rows;

  const selectAll = (repository: string) =>
    Array.from({ length: peopleCount }, (_, index) => ({ name: `p${index + 1}`, repository }));

  for (const [state, change] of [
    ['private', sql`is_private = true`],
    ['hidden', sql`deleted_at = now()`],
  ] as const) {
    it(`are recorded in batches when it becomes ${state}, without the owner and those of other repositories`, async () => {
      await using opened = await reuseTestDatabase();
      const { connection } = opened.database;
      const [changed] = await addContributors(connection);
      await sql`update repositories set ${change} where id = ${changed}`.execute(connection);
      for (let at = 1; !(await loseConnection(opened.database, at, record)); at += 1) {
        assert.equal((await listRecorded(connection)).length, 0);
      }
      // The server rolls a transaction back some time after its connection is lost, and others skip its rows until then.
      await until(async () => {
        if ((await listRecorded(connection)).length > 0) return true;
        await record(connection);
        return undefined;
      }, 'the first batch is recorded');
      assert.equal((await listRecorded(connection)).length, limit);
      while (await record(connection));
      assert.deepEqual(await listRecorded(connection), selectAll('engine'));
    });
  }

  it('are recorded from the first one again when it changes while they are recorded', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const [, secondRepository] = await addContributors(connection);
    await sql`update repositories set is_private = true where id = ${secondRepository}`.execute(connection);
    await record(connection);
    await sql`delete from changed_contributors`.execute(connection);
    await sql`update repositories set is_private = false where id = ${secondRepository}`.execute(connection);
    while (await record(connection));
    assert.deepEqual(await listRecorded(connection), selectAll('other'));
  });

  it('are left out while the repository is being erased, so that its erasure waits for no record', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const [changed] = await addContributors(connection);
    await sql`update repositories set is_private = true where id = ${changed}`.execute(connection);
    await connection.transaction().execute(async (erasing) => {
      await sql`select from repositories where id = ${changed} for update`.execute(erasing);
      // A wait for the erasure would not end.
      assert.equal(await record(connection), false);
    });
    assert.equal(await record(connection), true);
  });

  it('are not recorded for other changes of the repository', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    await addContributors(connection);
    await sql`update repositories set stars = stars + 1, listed_at = now(), name = name || '2'`.execute(connection);
    assert.equal(await record(connection), false);
  });
});
