import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { publicList } from '../../../src/contributions/contributors/contributor.ts';
import { prepareListsAgain, prepareMissingList } from '../../../src/contributions/contributors/prepare-store.ts';
import { prepareList } from '../../../src/contributions/contributors/ranking.ts';
import { findRanking } from '../../../src/contributions/contributors/ranking-store.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { sumColumns } from '../../../src/model/kinds.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { owners, people, startWorld } from '../contributions/random-changes.ts';
import { start } from './contributor-lists.ts';

const [owner = ''] = owners;
const scope = publicList(owner);
const many = 100_000;

/** Opens a database with owners whose repositories are collected. */
async function openCollected() {
  const opened = await reuseTestDatabase();
  const { connection, pool } = opened.database;
  await startWorld(connection);
  return {
    ...opened,
    connection,
    services: { connection, now: () => start },
    /** Changes the stored sums of the first owner. */
    add: async (counters: Partial<Record<'commits' | 'unfinished', number>>): Promise<void> => {
      const values = sumColumns.map((name) => Object.entries(counters).find(([counter]) => counter === name)?.[1] ?? 0);
      await pool.query(
        `insert into owner_sums (owner_id, is_private, ${sumColumns.join(', ')}) values ($1, false, ${values.join(', ')})`,
        [owner],
      );
    },
    /** Returns the owners in the queued jobs. */
    queued: async (): Promise<string[]> => {
      const { rows } = await pool.query<{ owner: string }>(
        `select payload ->> 'accountId' as owner
         from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
         where t.identifier = 'prepare_list' order by owner`,
      );
      return rows.map((row) => row.owner);
    },
  };
}

describe('preparing lists of contributors', () => {
  it('queues one job for an owner with many contributions, and none for others', async () => {
    await using opened = await openCollected();
    const { connection, add, queued } = opened;
    await add({ commits: many - 1 });
    for (const id of owners) await prepareMissingList(connection, id);
    assert.deepEqual(await queued(), []);
    await add({ commits: 1 });
    for (const id of [...owners, owner]) await prepareMissingList(connection, id);
    await prepareListsAgain(connection, owners);
    assert.deepEqual(await queued(), [owner]);
  });

  it('waits for the end of the first collection', async () => {
    await using opened = await openCollected();
    const { connection, add, queued } = opened;
    await add({ commits: many, unfinished: 1 });
    await prepareMissingList(connection, owner);
    assert.deepEqual(await queued(), []);
    await add({ unfinished: -1 });
    await prepareMissingList(connection, owner);
    assert.deepEqual(await queued(), [owner]);
  });

  it('queues no job for an owner with a list', async () => {
    await using opened = await openCollected();
    const { connection, services, add, queued } = opened;
    await add({ commits: many });
    await prepareList(services, owner);
    const ranking = await findRanking(connection, scope);
    assert.ok(ranking);
    await prepareMissingList(connection, owner);
    assert.deepEqual(await queued(), []);
    await prepareList(services, owner);
    assert.deepEqual(await findRanking(connection, scope), ranking);
  });

  it('queues the job with the transaction that ends the list, or not at all', async () => {
    await using opened = await openCollected();
    const { connection, add, queued } = opened;
    await add({ commits: many });
    const killed = inTransaction(connection, async (transaction) => {
      await prepareListsAgain(transaction, owners);
      throw new Error('killed');
    });
    await assert.rejects(killed, /killed/);
    assert.deepEqual(await queued(), []);
    await inTransaction(connection, (transaction) => prepareListsAgain(transaction, owners));
    assert.deepEqual(await queued(), [owner]);
  });

  it('makes no list of an owner that has few contributions by now, or is erased', async () => {
    await using opened = await openCollected();
    const { connection, services, add } = opened;
    await add({ commits: many });
    await add({ commits: -1 });
    await prepareList(services, owner);
    await prepareList(services, people[0] ?? '');
    assert.equal(await findRanking(connection, scope), undefined);
  });
});
