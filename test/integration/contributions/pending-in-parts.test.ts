import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recountRepository } from '../../../bench/recount-repository.ts';
import { findKnownUntil } from '../../../src/achievements/awards/work-store.ts';
import { changeNeeds, findPendingDetails } from '../../../src/contributions/detail-store.ts';
import { notePendingCommits } from '../../../src/contributions/pending-store.ts';
import type { Connection, Database } from '../../../src/database/connection.ts';
import { inTransaction } from '../../../src/database/transaction.ts';
import { openTestDatabase } from '../../database.ts';
import { loseConnection } from '../lost-connection.ts';
import { addRepository } from './stored-repository.ts';

const commits = 40;
const limit = 7;
const { signal } = new AbortController();

/** Stores commits, of which every fifth has its lines, in a repository whose achievements need lines from now on. */
async function fill({ connection, pool }: Database): Promise<string> {
  const id = await addRepository(connection);
  await inTransaction(connection, (transaction) => recountRepository(transaction, id));
  await pool.query(
    `insert into commits (repository_id, oid, authored_at, committed_at, scan_number, identity_ids, additions)
     select $1, decode(md5(n::text), 'hex'), now(), now(), 1, '{}', case when n % 5 = 0 then 1 end
     from generate_series(1, ${commits}) n`,
    [id],
  );
  await pool.query(
    `insert into streams (repository_id, name, covers, completed_at, known_until, is_deep)
     values ($1, 'commits', '{commit}', now(), now(), true) on conflict do nothing`,
    [id],
  );
  await inTransaction(connection, (transaction) => changeNeeds(transaction, id, ['commit_lines']));
  return id;
}

/** Returns the keys of pending commits, and the keys of commits without lines. */
async function findKeys({ connection, pool }: Database, id: string): Promise<{ noted: string[]; absent: string[] }> {
  const noted = await findPendingDetails(connection, id, 'commit_lines', { limit: 1000 });
  const { rows } = await pool.query<{ key: string }>(
    "select encode(oid, 'hex') as key from commits where additions is null order by oid",
  );
  return { noted: noted.map(({ key }) => key), absent: rows.map(({ key }) => key) };
}

describe('details that are pending for all commits', () => {
  it('are noted in parts, and count as pending from the beginning', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const id = await fill(database);
    assert.deepEqual((await findKeys(database, id)).noted, []);
    assert.equal((await findKnownUntil(database.connection, id)).get('commit'), undefined);
    const { rows: before } = await database.pool.query<{ at: string }>('select pg_current_xact_id()::text as at');
    await notePendingCommits(database.connection, id, { signal, limit });
    const { noted, absent } = await findKeys(database, id);
    assert.equal(noted.length, (commits / 5) * 4);
    assert.deepEqual(noted, absent);
    const { rows: parts } = await database.pool.query<{ rows: number }>(
      `select count(*)::integer as rows from pending_details where xmin::text::bigint > $1::bigint group by xmin::text`,
      [before[0]?.at],
    );
    assert.ok(parts.length >= commits / limit && parts.every(({ rows }) => rows <= limit), JSON.stringify(parts));
    await database.pool.query('delete from pending_details');
    assert.notEqual((await findKnownUntil(database.connection, id)).get('commit'), undefined);
  });

  it('are the same when the connection is lost before any statement', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const id = await fill(database);
    const work = (connection: Connection): Promise<void> => notePendingCommits(connection, id, { signal, limit });
    let losses = 0;
    for (let at = 1; !(await loseConnection(database, at, work)); at += 1) losses += 1;
    assert.ok(losses > 2);
    const { noted, absent } = await findKeys(database, id);
    assert.deepEqual(noted, absent);
  });

  it('are noted again from the first commit when they are requested again meanwhile', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const id = await fill(database);
    await database.pool.query("update pending_details set noted_until = repeat('f', 40)");
    const change = (needs: 'commit_lines'[]) =>
      inTransaction(database.connection, (transaction) => changeNeeds(transaction, id, needs));
    await change([]);
    await change(['commit_lines']);
    await notePendingCommits(database.connection, id, { signal, limit });
    const { noted, absent } = await findKeys(database, id);
    assert.deepEqual(noted, absent);
  });
});
