import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeJwt } from 'jose';
import { sql } from 'kysely';
import { generateSigningKey } from '../../../src/accounts/access/tokens/signing-key-store.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { correctSeason } from '../../../src/recognition/boards/seasons/correct.ts';
import { freezeSeasons } from '../../../src/recognition/boards/seasons/freeze.ts';
import { findSeason, findSeasonRanks, findVersions } from '../../../src/recognition/boards/seasons/season-store.ts';
import { isOnCluster, openTestDatabase } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { addIssues, type BoardOfMany, storeBoard } from '../../integration/boards/board-of-many.ts';
import { watchChangedRows } from '../../integration/changed-rows.ts';
import { loseConnection } from '../../integration/lost-connection.ts';

const people = 40;
const peopleAtOnce = 7;
const window = { since: '2026-04-01', until: '2026-05-01' };

const toServices = (connection: Connection) => ({
  connection,
  peopleAtOnce,
  now: () => new Date('2026-05-02T12:00:00Z'),
  publicUrl: () => 'https://plaudit.example',
  credentialAlgorithm: 'EdDSA' as const,
  newSigningKey: generateSigningKey,
});
const freeze = (connection: Connection): Promise<void> => freezeSeasons(toServices(connection));

type Entry = readonly [login: string | null, rank: number, points: number];

interface Shown {
  version: number;
  entries: Entry[];
  /** The people of the statement; undefined: it is withdrawn. */
  signed: Entry[] | undefined;
}

interface Claims {
  people: { rank: number; points: number; person: { login: string } | null }[];
}

/** Returns what readers see of the season; undefined while there is none. */
async function read({ connection }: Database, { boardId }: BoardOfMany): Promise<Shown | undefined> {
  const season = await findSeason(connection, boardId, 1);
  const versions = await findVersions(connection, boardId, 1);
  assert.equal(versions[0]?.version, season?.version);
  if (season === undefined) return undefined;
  const ranks = await findSeasonRanks(connection, season, { limit: 1000 });
  const claims = season.statement === null ? undefined : (decodeJwt(season.statement) as unknown as Claims);
  return {
    version: season.version,
    entries: ranks.map(({ person, rank, points }) => [person?.name ?? null, rank, points] as const),
    signed: claims?.people.map(({ person, rank, points }) => [person?.login ?? null, rank, points] as const),
  };
}

/** Asserts that a version is shown with all people, and that its statement says the same. */
function assertWhole(shown: Shown | undefined, version: number, rounds: number): void {
  assert.equal(shown?.version, version);
  assert.deepEqual(shown.signed, shown.entries);
  const points = shown.entries.map((entry) => entry[2]);
  const expected = Array.from({ length: people }, (_, index) => (10 - Math.floor(index / 4)) * rounds);
  assert.deepEqual(points, expected);
}

describe('seasons of many people', () => {
  it('are frozen, corrected and signed again in parts', { skip: isOnCluster }, async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const { connection } = database;
    const board = await storeBoard(database, { people, window });
    const changed = await watchChangedRows(database, ['board_season_ranks', 'board_seasons']);
    await freeze(connection);
    assertWhole(await read(database, board), 1, 1);
    await addIssues(database, board.repositoryId, 'b');
    await correctSeason(toServices(connection), { boardId: board.boardId, number: 1, reason: 'More.' });
    assertWhole(await read(database, board), 2, 2);
    const [version] = await findVersions(connection, board.boardId, 1);
    assert.equal(version?.differences.length, people);
    await sql`update accounts set hidden = true where external_id = 'p5'`.execute(connection);
    await freeze(connection);
    const shown = await read(database, board);
    assertWhole(shown, 3, 2);
    assert.equal(shown?.signed?.filter(([login]) => login === null).length, 1);
    const parts = await changed();
    // The former tables are deleted by one statement for each 10,000 rows.
    const written = parts.filter((rows) => rows !== 2 * people);
    assert.equal(parts.length, written.length + 1);
    assert.ok(
      written.length > (3 * people) / peopleAtOnce && written.every((rows) => rows <= peopleAtOnce + 2),
      JSON.stringify(parts),
    );
    const { rows } = await sql`select distinct version from board_season_ranks`.execute(connection);
    assert.deepEqual(rows, [{ version: 3 }]);
  });

  it('are shown with their statement, or not at all, when the connection is lost before any statement', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const board = await storeBoard(database, { people, window });
    let losses = 0;
    for (let at = 1; !(await loseConnection(database, at, freeze)); at += 1) {
      losses += 1;
      const shown = await read(database, board);
      if (shown !== undefined) assertWhole(shown, 1, 1);
    }
    assert.ok(losses > people / peopleAtOnce, String(losses));
    assertWhole(await read(database, board), 1, 1);
    assert.equal((await findVersions(database.connection, board.boardId, 1)).length, 1);
  });

  it('keep their version until the corrected one is signed, also when the connection is lost before any statement', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const { connection } = database;
    const board = await storeBoard(database, { people, window });
    await freeze(connection);
    await addIssues(database, board.repositoryId, 'b');
    const correct = (lost: Connection): Promise<void> =>
      correctSeason(toServices(lost), { boardId: board.boardId, number: 1, reason: 'More.' });
    let losses = 0;
    for (let at = 1; !(await loseConnection(database, at, correct)); at += isThorough ? 1 : 4) {
      losses += 1;
      const shown = await read(database, board);
      assertWhole(shown, shown?.version ?? 0, shown?.version === 1 ? 1 : 2);
      // The job completes what a request left.
      if (losses % 5 === 0) await freeze(connection);
    }
    assert.ok(losses > 5, String(losses));
    const shown = await read(database, board);
    assertWhole(shown, shown?.version ?? 0, 2);
    const { rows } = await sql`select from board_seasons where not is_written or statement is null`.execute(connection);
    assert.deepEqual(rows, []);
  });

  it('name no person who is hidden or erased between two parts, in their table and their statement', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const { connection } = database;
    const board = await storeBoard(database, { people, window });
    const hidden = ['p9', 'p19', 'p29', 'p39', 'p8', 'p18', 'p28', 'p38', 'p7', 'p17'];
    let at = 1;
    for (const [index, id] of hidden.entries()) {
      at += 5;
      await loseConnection(database, at + index, freeze);
      await (index % 2 === 0
        ? sql`update accounts set hidden = true where external_id = ${id}`
        : sql`delete from accounts where external_id = ${id}`
      ).execute(connection);
      const shown = await read(database, board);
      if (shown?.signed === undefined) continue;
      assert.deepEqual(shown.signed, shown.entries);
      const named = new Set(shown.signed.map(([login]) => login));
      const gone = hidden.slice(0, index + 1).map((name) => `person-${name.slice(1).padStart(6, '0')}`);
      assert.deepEqual(
        gone.filter((login) => named.has(login)),
        [],
      );
    }
    await freeze(connection);
    await freeze(connection);
    const shown = await read(database, board);
    assert.ok(shown?.signed);
    assert.deepEqual(shown.signed, shown.entries);
    const named = shown.signed.filter(([login]) => login !== null);
    assert.ok(named.length === people - hidden.length, String(named.length));
  });

  it('have no text with the name of a person who is hidden between two parts', async () => {
    const login = 'person-000009';
    const fields = {
      description: `Thanks to ${login}.`,
      grants: [{ person: 'person-000001', points: 1, reason: `Worked with ${login}.`, granted_by: login }],
    };
    for (let at = 1; ; at += isThorough ? 1 : 3) {
      await using opened = await openTestDatabase();
      const { database } = opened;
      const { connection } = database;
      const { boardId } = await storeBoard(database, { people, window, fields });
      const isOver = await loseConnection(database, at, freeze);
      const { rows: counted } = await sql`select from board_seasons`.execute(connection);
      await sql`update accounts set hidden = true where name = ${login}`.execute(connection);
      await freeze(connection);
      await freeze(connection);
      const claims = JSON.stringify(decodeJwt((await findSeason(connection, boardId, 1))?.statement ?? ''));
      // Before it is counted, the rule of the season is that of the file, which names the person.
      assert.equal(claims.includes(login), counted.length === 0, `${at}: ${claims}`);
      if (isOver) return;
    }
  });
});
