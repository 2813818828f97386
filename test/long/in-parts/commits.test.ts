import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recountRepository } from '../../../bench/recount-repository.ts';
import { removeUnseenCommits } from '../../../src/contributions/items/commit-store.ts';
import { changeNeeds } from '../../../src/contributions/items/detail-store.ts';
import { recountPart } from '../../../src/contributions/totals/recount-store.ts';
import { countNewCommits } from '../../../src/contributions/totals/total-store.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { openTestDatabase } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { addRepository } from '../../integration/contributions/stored-repository.ts';
import { loseConnection } from '../../integration/lost-connection.ts';

const commits = 25;
const atOnce = 10;

/** Stores commits that are not counted yet, in a repository whose achievements need their lines. */
async function storeNewCommits({ connection, pool }: Database): Promise<string> {
  const repositoryId = await addRepository(connection);
  await inTransaction(connection, async (transaction) => {
    await recountRepository(transaction, repositoryId);
    await changeNeeds(transaction, repositoryId, ['commit_lines']);
  });
  await pool.query(
    `with stored as (
       insert into commits (repository_id, oid, authored_at, committed_at, scan_number, identity_ids)
       select $1, decode(md5(n::text), 'hex'), at, at, 1, '{}'
       from generate_series(1, ${commits}) n cross join lateral (
         select '2026-05-01T12:00:00Z'::timestamptz + n / 22 * interval '1 day' as at) t
       returning repository_id, oid)
     insert into uncounted_commits (repository_id, oid) select repository_id, oid from stored`,
    [repositoryId],
  );
  return repositoryId;
}

/** Counts the new commits in parts. @returns how many each part counted. */
async function countInParts({ connection }: Pick<Database, 'connection'>, repositoryId: string): Promise<number[]> {
  const counted: number[] = [];
  do {
    counted.push(await inTransaction(connection, (transaction) => countNewCommits(transaction, repositoryId, atOnce)));
  } while (counted.at(-1) === atOnce);
  return counted;
}

async function readNumbers({ pool }: Database): Promise<unknown> {
  const { rows } = await pool.query(
    `select (select sum(commits)::integer from repository_totals) as counted,
       (select count(*)::integer from uncounted_commits) as uncounted,
       (select count(distinct key)::integer from pending_details where detail = 'commit_lines') as pending`,
  );
  return rows[0];
}

const complete = { counted: commits, uncounted: 0, pending: commits };

describe('commits that a whole scan did not see', () => {
  it('are removed in parts, also after the connection is lost before any statement', async () => {
    for (let at = 1; ; at += 1) {
      await using opened = await openTestDatabase();
      const { database } = opened;
      const repositoryId = await storeNewCommits(database);
      const seen = 'update commits set scan_number = 2 where authored_at > (select min(authored_at) from commits)';
      await database.pool.query(seen);
      const remove = (connection: Connection): Promise<void> =>
        removeUnseenCommits(connection, repositoryId, 2, atOnce);
      const isEnd = await loseConnection(database, at, remove);
      await remove(database.connection);
      const { rows } = await database.pool.query('select distinct scan_number from commits');
      assert.deepEqual(rows, [{ scan_number: 2 }]);
      if (isEnd) break;
    }
  });
});

describe('new commits', () => {
  it('are counted in parts, with their pending details', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const repositoryId = await storeNewCommits(database);
    assert.deepEqual(await countInParts(database, repositoryId), [atOnce, atOnce, commits - 2 * atOnce]);
    assert.deepEqual(await readNumbers(database), complete);
  });

  it('are counted once when the connection is lost before any statement', async () => {
    for (let at = 1; ; at += isThorough ? 1 : 4) {
      await using opened = await openTestDatabase();
      const { database } = opened;
      const repositoryId = await storeNewCommits(database);
      const isEnd = await loseConnection(database, at, (connection) => countInParts({ connection }, repositoryId));
      await countInParts(database, repositoryId);
      assert.deepEqual(await readNumbers(database), complete, `lost before statement ${at}`);
      if (isEnd) break;
    }
  });

  it('keep their pending details when a check of the totals counts them first', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const repositoryId = await storeNewCommits(database);
    await inTransaction(database.connection, (to) => recountPart(to, repositoryId, { from: null, until: null }));
    await countInParts(database, repositoryId);
    assert.deepEqual(await readNumbers(database), complete);
  });
});
