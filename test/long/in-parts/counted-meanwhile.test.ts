import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeJwt } from 'jose';
import { sql } from 'kysely';
import { generateSigningKey } from '../../../src/accounts/access/tokens/signing-key-store.ts';
import { findById } from '../../../src/accounts/store.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { findBoardById } from '../../../src/recognition/boards/board-store.ts';
import { rankBoard } from '../../../src/recognition/boards/ranking/rank-board.ts';
import { correctSeason } from '../../../src/recognition/boards/seasons/correct.ts';
import { freezeSeasons } from '../../../src/recognition/boards/seasons/freeze.ts';
import { findSeason, findSeasonRanks } from '../../../src/recognition/boards/seasons/season-store.ts';
import { findPeople, findPresentRanking } from '../../../src/recognition/boards/views/view-store.ts';
import { openTestDatabase } from '../../database.ts';
import { addIssues, type BoardOfMany, storeBoard } from '../../integration/boards/board-of-many.ts';
import { erase } from '../../integration/contributions/erasure-fixture.ts';
import { interleave } from '../../integration/interleave.ts';

const people = 20;
const window = { since: '2026-04-01', until: '2026-05-01' };
const toServices = (connection: Connection) => ({
  connection,
  peopleAtOnce: 7,
  now: () => new Date('2026-05-02T12:00:00Z'),
  publicUrl: () => 'https://plaudit.example',
  credentialAlgorithm: 'EdDSA' as const,
  newSigningKey: generateSigningKey,
});

const login = 'person-000009';
const changes: Record<string, (transaction: Connection) => Promise<unknown>> = {
  hidden: (transaction) => sql`update accounts set hidden = true where name = ${login}`.execute(transaction),
  erased: async (transaction) => {
    const { rows } = await sql<{ id: string }>`select id from accounts where name = ${login}`.execute(transaction);
    const account = (await findById(transaction, rows[0]?.id ?? '')) ?? assert.fail();
    await erase(transaction, account);
  },
};

/**
 * Runs work, and a change on another connection between the statement that counts all people and the end of its
 * transaction. The change fails when it has to wait for that transaction.
 */
async function changeMeanwhile(
  database: Database,
  change: (transaction: Connection) => Promise<unknown>,
  work: (connection: Connection) => Promise<unknown>,
): Promise<void> {
  let state: 'before' | 'counted' | 'changed' = 'before';
  await interleave(database, work, async ({ text }) => {
    if (state === 'counted') {
      state = 'changed';
      await database.connection.transaction().execute(async (transaction) => {
        await sql`set local lock_timeout = '1s'`.execute(transaction);
        await change(transaction);
      });
    }
    if (state === 'before' && /insert into next_(board|season)_ranks/.test(text)) state = 'counted';
  });
  assert.equal(state, 'changed');
}

/** Asserts that no version of the season, no statement and no list that waits has the person. */
async function assertNotInSeason({ connection }: Database, { boardId }: BoardOfMany, id: string): Promise<void> {
  const season = (await findSeason(connection, boardId, 1)) ?? assert.fail('no season is shown');
  const ranks = await findSeasonRanks(connection, season, { limit: 1000 });
  assert.equal(ranks.filter(({ person }) => person === null).length, 1);
  assert.equal(ranks.length, people);
  const { rows } = await sql<{ statement: string | null }>`select statement from board_seasons`.execute(connection);
  for (const { statement } of rows) {
    const claims = JSON.stringify(statement === null ? null : decodeJwt(statement));
    assert.ok(!claims.includes(login), claims);
  }
  assert.notEqual(season.statement, null);
  const { rows: left } = await sql`
    select from board_season_ranks where account_id = ${id} and version = ${season.version}
    union all select from next_season_ranks`.execute(connection);
  assert.deepEqual(left, []);
}

async function idOfPerson({ connection }: Database): Promise<string> {
  const { rows } = await sql<{ id: string }>`select id from accounts where name = ${login}`.execute(connection);
  return rows[0]?.id ?? assert.fail();
}

for (const [name, change] of Object.entries(changes)) {
  describe(`people who are ${name} while all people of a board are counted`, () => {
    it('do not wait, and are in no frozen season', async () => {
      await using opened = await openTestDatabase();
      const { database } = opened;
      const board = await storeBoard(database, { people, window });
      const id = await idOfPerson(database);
      await changeMeanwhile(database, change, (connection) => freezeSeasons(toServices(connection)));
      await assertNotInSeason(database, board, id);
    });

    it('do not wait, and are in no version of a corrected season', async () => {
      await using opened = await openTestDatabase();
      const { database } = opened;
      const board = await storeBoard(database, { people, window });
      const id = await idOfPerson(database);
      await freezeSeasons(toServices(database.connection));
      await addIssues(database, board.repositoryId, 'b');
      await changeMeanwhile(database, change, (connection) =>
        correctSeason(toServices(connection), { boardId: board.boardId, number: 1, reason: 'More.' }),
      );
      await freezeSeasons(toServices(database.connection));
      await assertNotInSeason(database, board, id);
    });

    it('do not wait, and are not on the board, also after the next ranking', async () => {
      await using opened = await openTestDatabase();
      const { database } = opened;
      const { connection } = database;
      const board = await storeBoard(database, { people });
      const at = (minutes: number) => () => new Date(Date.parse('2026-05-02T12:00:00Z') + minutes * 60_000);
      await changeMeanwhile(database, change, (lost) =>
        rankBoard({ connection: lost, now: at(0) }, board.boardId, { peopleAtOnce: 7 }),
      );
      for (const minutes of [5, 10]) {
        const stored = await connection.transaction().execute((to) => findBoardById(to, board.boardId));
        const ranking = stored && (await findPresentRanking(connection, stored));
        assert.ok(stored && ranking);
        const version = { boardId: board.boardId, version: ranking.version, board: stored.board };
        const shown = await findPeople(connection, version, { limit: 1000, isOwner: false });
        assert.deepEqual([shown.length, shown.some((person) => person.name === login)], [people - 1, false]);
        await rankBoard({ connection, now: at(minutes) }, board.boardId);
      }
      const { rows } = await sql`
        select from board_ranks where name = ${login} and is_ranked and until_version is null`.execute(connection);
      assert.deepEqual(rows, []);
    });
  });
}
