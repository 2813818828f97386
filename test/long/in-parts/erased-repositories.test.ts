import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recountRepository } from '../../../bench/recount-repository.ts';
import { eraseHidden, eraseNextRepositories } from '../../../src/accounts/repositories/erase-store.ts';
import { removeErasedRows } from '../../../src/contributions/items/erase-store.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { dropUselessWork } from '../../../src/recognition/achievements/awards/work-store.ts';
import { isOnCluster, openTestDatabase } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { watchChangedRows } from '../../integration/changed-rows.ts';
import { addRepository } from '../../integration/contributions/stored-repository.ts';
import { loseConnection, loseConnectionAtStatements } from '../../integration/lost-connection.ts';

const atOnce = { repositories: 2, rows: 7 };

/** Stores a hidden repository with awards of people, and one that stays. */
async function fill({ connection, pool }: Database, people: number): Promise<void> {
  const id = await addRepository(connection);
  await inTransaction(connection, (transaction) => recountRepository(transaction, id));
  await pool.query(
    `insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at, listed_at,
       created_at, updated_at)
     select gen_random_uuid(), 'github', 'other', '', owner_id, 'other', false, false, now(), now(), now(), now()
     from repositories`,
  );
  await pool.query(`
    insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
    select gen_random_uuid(), 'github', 'p' || n, '', 'user', 'person-' || n, now(), now(), now()
    from generate_series(1, ${people}) n;
    insert into achievements (id, repository_id, name, icon, description, is_current)
    select gen_random_uuid(), id, 'first', '', '', true from repositories;
    insert into awards (id, achievement_id, account_id, repository_name, awarded_at, created_at)
    select gen_random_uuid(), h.id, a.id, '', now(), now() from achievements h, accounts a where a.external_id like 'p%';
    insert into changed_contributors (repository_id, account_id, is_update)
    select r.id, a.id, true from repositories r, accounts a on conflict do nothing;
    insert into pending_evaluations (repository_id, account_id, kind)
    select r.id, a.id, 'issue' from repositories r, accounts a;
    update repositories set deleted_at = now() - interval '1 day' where name = 'engine'`);
}

async function erase(connection: Connection): Promise<void> {
  await eraseHidden(connection, new Date(), 5);
  while ((await eraseNextRepositories(connection, atOnce)) > 0);
  await removeErasedRows(connection, 1000);
}

const counted = ['repositories', 'achievements', 'awards', 'changed_contributors', 'pending_evaluations'];

/** Returns how many rows are left of the table of repositories and those that refer to it. */
async function countRows({ pool }: Database): Promise<unknown> {
  const { rows } = await pool.query(
    `select ${counted.map((table) => `(select count(*)::integer from ${table}) as ${table}`).join(', ')},
       (select count(*)::integer from erased_repositories) as erased`,
  );
  return rows[0];
}

const toExpected = (people: number) => ({
  repositories: 1,
  achievements: 1,
  awards: people,
  changed_contributors: people + 1,
  pending_evaluations: people + 1,
  erased: 0,
});

describe('erasure of a repository', () => {
  it('deletes as many rows in each transaction with many people as with few', { skip: isOnCluster }, async () => {
    for (const people of [3, 40]) {
      await using opened = await openTestDatabase();
      const { database } = opened;
      await fill(database, people);
      const changed = await watchChangedRows(database, counted);
      await erase(database.connection);
      assert.deepEqual(await countRows(database), toExpected(people));
      const parts = await changed();
      assert.ok(
        parts.every((rows) => rows <= atOnce.rows),
        `${people}: ${JSON.stringify(parts)}`,
      );
    }
  });

  it('leaves the same when the connection is lost before any statement', async () => {
    for (let at = 1; ; at += isThorough ? 1 : 9) {
      await using opened = await openTestDatabase();
      const { database } = opened;
      await fill(database, 10);
      const isEnd = await loseConnection(database, at, erase);
      await erase(database.connection);
      assert.deepEqual(await countRows(database), toExpected(10), `lost before statement ${at}`);
      if (isEnd) break;
    }
  });

  it('begins with the id and the name, by which a listing would find the repository', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    await fill(database, 10);
    await eraseHidden(database.connection, new Date(), 5);
    await eraseNextRepositories(database.connection, atOnce);
    const { rows } = await database.pool.query(
      "select from repositories where provider = 'github' and (external_id = '1' or name = 'engine')",
    );
    assert.deepEqual(rows, []);
  });
});

describe('evaluations of a repository in which nothing can be earned', () => {
  it('are deleted in parts, also after the connection is lost before any statement', {
    skip: isOnCluster,
  }, async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    await fill(database, 30);
    const { rows } = await database.pool.query<{ id: string }>("select id from repositories where name = 'other'");
    const id = rows[0]?.id ?? assert.fail();
    const changed = await watchChangedRows(database, ['pending_evaluations']);
    const work = async (connection: Connection): Promise<void> => {
      while ((await dropUselessWork(connection, id, 7)) > 0);
    };
    const losses = await loseConnectionAtStatements(database, work);
    assert.ok(losses > 2);
    const left = await database.pool.query('select from pending_evaluations where repository_id = $1', [id]);
    assert.deepEqual(left.rows, []);
    const parts = await changed();
    assert.ok(parts.length >= 4 && parts.every((most) => most <= 7), JSON.stringify(parts));
  });
});
