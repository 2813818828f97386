import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { type Announcement, announce } from '../../../src/database/queue/announcements.ts';
import { Follower } from '../../../src/database/queue/listener.ts';
import { rankBoard } from '../../../src/recognition/boards/ranking/rank-board.ts';
import { sampled } from '../../depth.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { storeBoard, stored } from '../boards/board-of-many.ts';
import { watchChangedRows } from '../changed-rows.ts';

interface Followed extends AsyncDisposable {
  follower: Follower;
  received: string[];
}

/** Follows the announcements of a database; `missed` stands for some that were not received. */
async function follow({ clientConfig }: { clientConfig: object }): Promise<Followed> {
  const client = new Client(clientConfig);
  await client.connect();
  const received: string[] = [];
  const follower = await Follower.begin(client, {
    onAnnouncement: ({ kind, key }: Announcement) => received.push(`${kind} ${key}`),
    onNotification: () => {},
    onMissed: () => received.push('missed'),
  });
  return { follower, received, [Symbol.asyncDispose]: () => client.end() };
}

const take = (received: string[]): string[] => received.splice(0).toSorted();

describe('announcements', () => {
  it('reach a follower once, in any order in which their transactions commit', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    await using followed = await follow(opened.database);
    const { follower, received } = followed;
    const early = await pool.connect();
    try {
      await early.query('begin');
      await early.query(`insert into announcements (kind, key) values ('account', 'early')`);
      await announce(connection, { kind: 'account', key: 'late' });
      await announce(connection, { kind: 'account', key: 'late' });
      await follower.read();
      assert.deepEqual(take(received), ['account late']);
      await announce(connection, { kind: 'withdrawn', key: 'github' });
      await follower.read();
      assert.deepEqual(take(received), ['withdrawn github']);
      await early.query('commit');
      await follower.read();
      assert.deepEqual(take(received), ['account early']);
      await follower.read();
      assert.deepEqual(take(received), []);
    } finally {
      early.release();
    }
  });

  it('are those of committed transactions after the beginning', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    await announce(connection, { kind: 'account', key: 'before' });
    await using followed = await follow(opened.database);
    const transaction = await connection.startTransaction().execute();
    await announce(transaction, { kind: 'account', key: 'withdrawn' });
    await transaction.rollback().execute();
    await followed.follower.read();
    assert.deepEqual(followed.received, []);
  });

  it('are read if they precede the request for the read, also while another read is under way', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    await using followed = await follow(opened.database);
    const { follower, received } = followed;
    const first = follower.read();
    await announce(connection, { kind: 'account', key: 'a' });
    await Promise.all([follower.read(), follower.read()]);
    assert.deepEqual(take(received), ['account a']);
    await first;
  });

  it('are reported as missed when there are too many of them', async () => {
    await using opened = await reuseTestDatabase();
    await using followed = await follow(opened.database);
    await opened.database.pool.query(
      `insert into announcements (kind, key) select 'account', number from generate_series(1, 10001) number`,
    );
    await followed.follower.read();
    assert.deepEqual(take(followed.received), ['missed']);
    await announce(opened.database.connection, { kind: 'account', key: 'next' });
    await followed.follower.read();
    assert.deepEqual(take(followed.received), ['account next']);
  });

  it('name each person on a board that changed, or all accounts at once where there are very many', async () => {
    for (const people of sampled([3, 10_001], 2)) {
      await using opened = await reuseTestDatabase();
      const { connection, pool } = opened.database;
      const { boardId } = await storeBoard(opened.database, { people, mostIssues: 1 });
      await rankBoard({ connection, now: () => stored }, boardId);
      const { rows: accounts } = await pool.query<{ id: string }>(`
        select account_id as id from board_ranks union select owner_id from boards`);
      await using followed = await follow(opened.database);
      const changed = await watchChangedRows(opened.database, ['announcements']);
      await pool.query('update boards set is_private = true');
      await followed.follower.read();
      const expected = people === 3 ? accounts.map(({ id }) => `account ${id}`) : ['accounts all'];
      assert.deepEqual(take(followed.received), expected.toSorted());
      assert.deepEqual(await changed(), [expected.length]);
    }
  });

  it('name no more accounts in one transaction than a node reads at a time', async () => {
    await using opened = await reuseTestDatabase();
    const { pool } = opened.database;
    await using followed = await follow(opened.database);
    const announceSome = (from: number): string =>
      `select announce_accounts(array(select md5(n::text)::uuid from generate_series(${from}, ${from + 5999}) n))`;
    await pool.query(`begin; ${announceSome(1)}; ${announceSome(10_001)}; ${announceSome(20_001)}; commit`);
    const { rows } = await pool.query('select kind, count(*)::integer from announcements group by 1 order by 1');
    assert.deepEqual(rows, [
      { kind: 'account', count: 6000 },
      { kind: 'accounts', count: 1 },
    ]);
    await pool.query(`delete from announcements; ${announceSome(1)}`);
    await followed.follower.read();
    assert.equal(take(followed.received).length, 6000);
  });

  it('leave out kinds that only newer releases know', async () => {
    await using opened = await reuseTestDatabase();
    await using followed = await follow(opened.database);
    await opened.database.pool.query(`insert into announcements (kind, key) values ('newer', 'x'), ('erased', 'y')`);
    await followed.follower.read();
    assert.deepEqual(followed.received, ['erased y']);
  });
});
