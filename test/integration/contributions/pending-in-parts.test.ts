import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recountRepository } from '../../../bench/recount-repository.ts';
import {
  addPendingWhereAbsent,
  changeNeeds,
  findPendingDetails,
} from '../../../src/contributions/items/detail-store.ts';
import { deleteLostCommits, notePendingDetails } from '../../../src/contributions/items/pending-store.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import type { Detail } from '../../../src/model/contribution.ts';
import { findKnownUntil } from '../../../src/recognition/achievements/awards/work-store.ts';
import { findReadState } from '../../../src/recognition/rules/evaluation/read-state-store.ts';
import { isOnCluster } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { watchChangedRows } from '../changed-rows.ts';
import { loseConnection, loseConnectionAtStatements } from '../lost-connection.ts';
import { addRepository } from './stored-repository.ts';

const items = 40;
const limit = 7;
const { signal } = new AbortController();

/** Stores commits and as many pull requests, of which every fifth has its details, in a repository that was read whole. */
async function fill({ connection, pool }: Database, count = items): Promise<string> {
  const id = await addRepository(connection);
  await inTransaction(connection, (transaction) => recountRepository(transaction, id));
  await pool.query(
    `insert into commits (repository_id, oid, authored_at, committed_at, scan_number, identity_ids, additions)
     select $1, decode(md5(n::text), 'hex'), now(), now(), 1, '{}', case when n % 5 = 0 then 1 end
     from generate_series(1, ${count}) n`,
    [id],
  );
  await pool.query(
    `insert into contributions (repository_id, kind, external_id, number, labels, created_at, updated_at, seen_at, files)
     select $1, kind, kind || n, n * 2 - length(kind) % 2, '{}', now(), now(), now(),
       case when kind = 'pull_request' and n % 5 = 0 then '{a.ts}'::text[] end
     from generate_series(1, ${count}) n cross join unnest(array['issue', 'pull_request']) kind`,
    [id],
  );
  await pool.query(
    `insert into streams (repository_id, name, covers, completed_at, known_until, is_deep)
     values ($1, 'commits', '{commit}', now(), now(), true), ($1, 'pulls', '{pull_request}', now(), now(), true)
     on conflict (repository_id, name) do update set completed_at = now(), known_until = now(), is_deep = true`,
    [id],
  );
  return id;
}

const change = (connection: Connection, id: string, needs: readonly Detail[]): Promise<void> =>
  inTransaction(connection, (transaction) => changeNeeds(transaction, id, needs));

async function findNoted(connection: Connection, id: string, detail: Detail): Promise<string[]> {
  const noted = await findPendingDetails(connection, id, detail, { limit: 1000 });
  return noted.map(({ key }) => key);
}

/** Returns the keys of the items that have to be noted. */
async function findExpected({ pool }: Database, detail: Detail, which: 'all' | 'absent'): Promise<string[]> {
  const { rows } = await pool.query<{ key: string }>(
    detail === 'commit_lines'
      ? "select encode(oid, 'hex') as key from commits where additions is null order by key"
      : `select number::text as key from contributions
         where kind = 'pull_request' and (files is null or ${which === 'all'}) order by key`,
  );
  return rows.map(({ key }) => key);
}

const details = [
  { detail: 'commit_lines', kind: 'commit', which: 'absent' },
  { detail: 'pull_request_files', kind: 'pull_request', which: 'all' },
] as const;

for (const { detail, kind, which } of details) {
  describe(`pending details of all items: ${detail}`, () => {
    it('are noted in parts, and count as pending from the beginning', { skip: isOnCluster }, async () => {
      await using opened = await reuseTestDatabase();
      const { database } = opened;
      const { connection } = database;
      const id = await fill(database);
      const changed = await watchChangedRows(database, ['pending_details']);
      await change(connection, id, [detail]);
      assert.deepEqual(await findNoted(connection, id, detail), []);
      assert.equal((await findKnownUntil(connection, id)).get(kind), undefined);
      assert.equal((await findReadState(connection, id)).onDemand[detail].pending, (items / 5) * 4);
      await notePendingDetails(connection, id, { signal, limit });
      const expected = await findExpected(database, detail, which);
      assert.equal(expected.length, which === 'all' ? items : (items / 5) * 4);
      assert.deepEqual(await findNoted(connection, id, detail), expected);
      const parts = await changed();
      assert.ok(parts.length >= items / limit && parts.every((rows) => rows <= limit + 1), JSON.stringify(parts));
      await database.pool.query('delete from pending_details');
      assert.notEqual((await findKnownUntil(connection, id)).get(kind), undefined);
    });

    it('are the same when the connection is lost before any statement', async () => {
      await using opened = await reuseTestDatabase();
      const { database } = opened;
      const id = await fill(database);
      await change(database.connection, id, [detail]);
      const work = (connection: Connection): Promise<void> => notePendingDetails(connection, id, { signal, limit });
      const losses = await loseConnectionAtStatements(database, work, isThorough ? 1 : 5);
      assert.ok(losses > 2);
      const expected = await findExpected(database, detail, which);
      assert.deepEqual(await findNoted(database.connection, id, detail), expected);
    });

    it('are noted again from the first item when they are requested again meanwhile', async () => {
      await using opened = await reuseTestDatabase();
      const { database } = opened;
      const { connection } = database;
      const id = await fill(database);
      await change(connection, id, [detail]);
      await database.pool.query('update pending_details set noted_until = $1', [
        kind === 'commit' ? 'f'.repeat(40) : 900,
      ]);
      await change(connection, id, []);
      await change(connection, id, [detail]);
      await notePendingDetails(connection, id, { signal, limit });
      assert.deepEqual(await findNoted(connection, id, detail), await findExpected(database, detail, which));
    });

    it('are deleted in parts when they are not needed any more, and count as deleted at once', {
      skip: isOnCluster,
    }, async () => {
      await using opened = await reuseTestDatabase();
      const { database } = opened;
      const { connection } = database;
      const id = await fill(database);
      await change(connection, id, [detail]);
      await notePendingDetails(connection, id, { signal, limit });
      const changed = await watchChangedRows(database, ['pending_details']);
      await change(connection, id, []);
      assert.notEqual((await findKnownUntil(connection, id)).get(kind), undefined);
      assert.equal((await findReadState(connection, id)).onDemand[detail].pending, 0);
      await notePendingDetails(connection, id, { signal, limit });
      const { rows } = await database.pool.query('select from pending_details');
      assert.deepEqual(rows, []);
      const parts = await changed();
      assert.ok(parts.length >= items / limit && parts.every((most) => most <= limit + 1), JSON.stringify(parts));
    });

    it('are deleted when the connection is lost before any statement', async () => {
      await using opened = await reuseTestDatabase();
      const { database } = opened;
      const id = await fill(database);
      await change(database.connection, id, [detail]);
      await notePendingDetails(database.connection, id, { signal, limit });
      await change(database.connection, id, []);
      const work = (connection: Connection): Promise<void> => notePendingDetails(connection, id, { signal, limit });
      const losses = await loseConnectionAtStatements(database, work, isThorough ? 1 : 5);
      assert.ok(losses > 2);
      const { rows } = await database.pool.query('select from pending_details');
      assert.deepEqual(rows, []);
    });
  });
}

describe('pending details', () => {
  it('stay when they are needed or requested again before all are deleted', async () => {
    for (const { detail } of details) {
      for (const again of ['needed', 'requested']) {
        await using opened = await reuseTestDatabase();
        const { database } = opened;
        const { connection } = database;
        const id = await fill(database);
        await change(connection, id, [detail]);
        await notePendingDetails(connection, id, { signal, limit });
        const before = await findNoted(connection, id, detail);
        await change(connection, id, []);
        await loseConnection(database, 28, (lost) => notePendingDetails(lost, id, { signal, limit }));
        assert.notDeepEqual(await findNoted(connection, id, detail), before);
        if (again === 'needed') await change(connection, id, [detail]);
        else await inTransaction(connection, (transaction) => addPendingWhereAbsent(transaction, id, detail));
        await notePendingDetails(connection, id, { signal, limit });
        const noted = new Set(await findNoted(connection, id, detail));
        for (const key of await findExpected(database, detail, again === 'needed' ? 'all' : 'absent')) {
          assert.ok(noted.has(key), `${detail} ${again} ${key}`);
        }
      }
    }
  });

  it('are deleted where commits were lost, in parts, also after the connection is lost before any statement', {
    skip: isOnCluster,
  }, async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { connection, pool } = database;
    const id = await fill(database);
    await change(connection, id, ['commit_files']);
    await notePendingDetails(connection, id, { signal });
    await pool.query("delete from commits where encode(oid, 'hex') > '4'");
    const changed = await watchChangedRows(database, ['pending_details']);
    const work = (lost: Connection): Promise<void> => deleteLostCommits(lost, id, 'commit_files', limit);
    const losses = await loseConnectionAtStatements(database, work, isThorough ? 1 : 5);
    assert.ok(losses > 2);
    const { rows } = await pool.query<{ key: string }>("select encode(oid, 'hex') as key from commits order by key");
    assert.deepEqual(
      await findNoted(connection, id, 'commit_files'),
      rows.map(({ key }) => key),
    );
    const parts = await changed();
    assert.ok(parts.length > 2 && parts.every((most) => most <= limit), JSON.stringify(parts));
  });
});
