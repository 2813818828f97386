import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { findBoardById } from '../../../src/recognition/boards/board-store.ts';
import { type RankOptions, rankBoard } from '../../../src/recognition/boards/ranking/rank-board.ts';
import { mergeChanges, requestOutdatedBoards } from '../../../src/recognition/boards/ranking/request-store.ts';
import { findFeedEvents, findPeople, findPresentRanking } from '../../../src/recognition/boards/views/view-store.ts';
import { isOnCluster, openTestDatabase } from '../../database.ts';
import { addIssues, type BoardOfMany, storeBoard, stored } from '../../integration/boards/board-of-many.ts';
import { watchChangedRows } from '../../integration/changed-rows.ts';
import { loseConnection, loseConnectionAtStatements } from '../../integration/lost-connection.ts';

const people = 40;
const peopleAtOnce = 7;
const at =
  (minutes: number): (() => Date) =>
  () =>
    new Date(stored.getTime() + minutes * 60_000);

const rank = (connection: Connection, { boardId }: BoardOfMany, minutes: number, options: RankOptions = {}) =>
  rankBoard({ connection, now: at(minutes) }, boardId, { peopleAtOnce, ...options });

interface Shown {
  version: number;
  people: number;
  ranks: readonly (readonly [name: string, points: number])[];
}

/** Returns what readers see of the ranking of a board; undefined while none is shown. */
async function read({ connection }: Database, { boardId }: BoardOfMany): Promise<Shown | undefined> {
  const board = await connection.transaction().execute((transaction) => findBoardById(transaction, boardId));
  assert.ok(board);
  const ranking = await findPresentRanking(connection, board);
  if (ranking === undefined) return undefined;
  const version = { boardId, version: ranking.version, board: board.board };
  const found = await findPeople(connection, version, { limit: 1000, isOwner: false });
  return {
    version: ranking.version,
    people: ranking.people,
    ranks: found.map(({ name, points }) => [name, points] as const).toSorted(byName),
  };
}

type Rank = Shown['ranks'][number];
const byName = ([one]: Rank, [other]: Rank): number => (one < other ? -1 : 1);

const expectedRanks = (rounds: number): Shown['ranks'] =>
  Array.from({ length: people }, (_, index): readonly [string, number] => [
    `person-${String(index + 1).padStart(6, '0')}`,
    (((index + 1) % 10) + 1) * rounds,
  ]);

/** Stores a board that was ranked once, and further points of all people. */
async function prepare(database: Database): Promise<BoardOfMany> {
  const board = await storeBoard(database, { people });
  await rank(database.connection, board, 0);
  await addIssues(database, board.repositoryId, 'b');
  return board;
}

describe('rankings of all people of a board', () => {
  it('are stored in parts, of which readers see none before the last', { skip: isOnCluster }, async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const board = await storeBoard(database, { people });
    const changed = await watchChangedRows(database, ['board_ranks']);
    await rank(database.connection, board, 0);
    assert.deepEqual(await read(database, board), { version: 1, people, ranks: expectedRanks(1) });
    await addIssues(database, board.repositoryId, 'b');
    await rank(database.connection, board, 5, { isCheck: true });
    assert.deepEqual(await read(database, board), { version: 2, people, ranks: expectedRanks(2) });
    const parts = await changed();
    assert.ok(
      parts.length >= (2 * people) / peopleAtOnce && parts.every((rows) => rows <= 2 * peopleAtOnce),
      JSON.stringify(parts),
    );
    assert.deepEqual(await rank(database.connection, board, 10, { isCheck: true }), {
      kind: 'ranked',
      extent: 'all',
      changed: 0,
      unnoted: 0,
      isCheckDue: false,
    });
  });

  it('are shown as a whole or not at all when the connection is lost before any statement, and then completed', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const board = await storeBoard(database, { people, window: { since: '2026-04-01', until: '2026-05-31' } });
    const before: (Shown | undefined)[] = [undefined, { version: 1, people, ranks: expectedRanks(1) }];
    for (const version of [1, 2]) {
      const after = { version, people, ranks: expectedRanks(version) };
      let losses = 0;
      const work = (connection: Connection): Promise<unknown> =>
        rank(connection, board, version * 5, { isCheck: true });
      for (let statement = 1; !(await loseConnection(database, statement, work)); statement += 1) {
        losses += 1;
        const shown = await read(database, board);
        assert.deepEqual(shown, shown?.version === version ? after : before[version - 1]);
        const events = await findFeedEvents(database.connection, { boardId: board.boardId, limit: 100 });
        const newcomers = events.filter(({ kind }) => kind === 'newcomer');
        assert.deepEqual(
          newcomers.map(({ name, points }) => [name, points] as const).toSorted(byName),
          shown?.ranks ?? [],
        );
      }
      assert.ok(losses > people / peopleAtOnce, String(losses));
      assert.deepEqual(await read(database, board), after);
      await addIssues(database, board.repositoryId, `b${version}`);
    }
    const { rows } = await sql`
      select board_id from next_board_ranks union all select board_id from next_board_rankings`.execute(
      database.connection,
    );
    assert.deepEqual(rows, []);
  });

  it('follow very many noted changes, which are merged in parts, also after the connection is lost before any statement', {
    skip: isOnCluster,
  }, async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const board = await prepare(database);
    await sql`
      insert into board_changes (board_id, people)
      select ${board.boardId}, array[id] from accounts where external_id ~ '^p[0-9]+$'`.execute(database.connection);
    const countNotes = async (): Promise<number> => {
      const { rows } = await database.pool.query<{ count: number }>('select count(*)::integer from board_changes');
      return rows[0]?.count ?? 0;
    };
    assert.equal(await countNotes(), people);
    const changed = await watchChangedRows(database, ['board_changes']);
    const work = (connection: Connection): Promise<void> =>
      mergeChanges(connection, board.boardId, { kept: 10, limit: peopleAtOnce });
    const losses = await loseConnectionAtStatements(database, work);
    assert.ok(losses > 4, String(losses));
    assert.ok((await countNotes()) <= 10);
    const parts = await changed();
    assert.ok(parts.length > 4 && parts.every((rows) => rows <= peopleAtOnce + 1), JSON.stringify(parts));
    const outcome = await rank(database.connection, board, 5);
    assert.deepEqual([outcome.kind === 'ranked' && outcome.extent, await countNotes()], ['all', 0]);
    assert.deepEqual(await read(database, board), { version: 2, people, ranks: expectedRanks(2) });
  });

  it('are requested again, and completed also for a board that ended, when they were interrupted', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const { connection } = database;
    const board = await prepare(database);
    await interrupt(database, board);
    await sql`update boards set is_current = false`.execute(connection);
    await requestOutdatedBoards(connection, at(6)());
    const { rows } = await sql`select key from graphile_worker.jobs`.execute(connection);
    assert.deepEqual(rows, [{ key: `rank_board ${board.boardId}` }]);
    assert.deepEqual(await rank(connection, board, 6), { kind: 'absent' });
    await sql`update boards set is_current = true`.execute(connection);
    assert.deepEqual(await read(database, board), { version: 2, people, ranks: expectedRanks(2) });
  });

  it('have no person who was erased, and count those again who changed, between two parts', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const { connection } = database;
    const board = await storeBoard(database, { people });
    await interrupt(database, board);
    await sql`delete from accounts where external_id in ('p3', 'p4')`.execute(connection);
    await sql`update accounts set hidden = true where external_id in ('p5', 'p6')`.execute(connection);
    await sql`update accounts set name = 'renamed' where external_id = 'p7'`.execute(connection);
    await rank(connection, board, 6);
    const { rows } = await sql<{ name: string }>`
      select r.name from board_ranks r join accounts a on a.id = r.account_id
      where a.external_id in ('p3', 'p4', 'p5', 'p6', 'p7') and is_ranked and until_version is null`.execute(
      connection,
    );
    assert.deepEqual(rows, [{ name: 'renamed' }]);
    assert.equal((await read(database, board))?.people, people - 4);
  });
});

/** Ranks a board until some of its people are stored, and the connection is lost. */
async function interrupt(database: Database, board: BoardOfMany): Promise<void> {
  const countParts = async (): Promise<number> => {
    const { rows } = await sql`select part from next_board_ranks`.execute(database.connection);
    return rows.length;
  };
  const work = (connection: Connection): Promise<unknown> => rank(connection, board, 5, { isCheck: true });
  const parts = Math.ceil(people / peopleAtOnce);
  for (let statement = 1; ; statement += 1) {
    const hasEnded = await loseConnection(database, statement, work);
    assert.ok(!hasEnded);
    const left = await countParts();
    if (left > 0 && left < parts) return;
  }
}
