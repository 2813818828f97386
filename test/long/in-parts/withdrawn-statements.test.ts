import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeJwt } from 'jose';
import { sql } from 'kysely';
import { generateSigningKey } from '../../../src/accounts/access/tokens/signing-key-store.ts';
import { emptyAccount } from '../../../src/accounts/visibility/erase-store.ts';
import { eraseNext } from '../../../src/app/owners/erasure/erase.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { takeErasureLock } from '../../../src/database/schema/erasure.ts';
import { freezeSeasons } from '../../../src/recognition/boards/seasons/freeze.ts';
import { findSeasons } from '../../../src/recognition/boards/seasons/season-store.ts';
import { makeRanksAnonymous, withdrawSome } from '../../../src/recognition/boards/seasons/withdrawal-store.ts';
import { isOnCluster, openTestDatabase } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { type BoardOfMany, storeBoard } from '../../integration/boards/board-of-many.ts';
import { watchChangedRows } from '../../integration/changed-rows.ts';
import { loseConnection } from '../../integration/lost-connection.ts';

const people = 4;
const seasons = 7;
const withdrawnAtOnce = 3;
/** A person of every season, in its table and its rule. */
const login = 'person-000003';
const grant = { points: 1, granted_by: 'person-000001' };
const fields = { grants: [{ ...grant, person: login, reason: `Worked with ${login}.` }] };
const window = { since: '2026-04-01', until: '2026-05-01' };

const freeze = (connection: Connection): Promise<void> =>
  freezeSeasons({
    connection,
    withdrawnAtOnce,
    now: () => new Date('2026-05-02T12:00:00Z'),
    publicUrl: () => 'https://plaudit.example',
    credentialAlgorithm: 'EdDSA',
    newSigningKey: generateSigningKey,
  });

/** Stores a board with as many signed seasons, each of which names the person. */
async function storeSeasons(database: Database): Promise<BoardOfMany> {
  const { connection, pool } = database;
  const board = await storeBoard(database, { people, window, fields });
  await freeze(connection);
  await pool.query(`
    create table copied as select * from board_seasons;
    insert into board_seasons select (jsonb_populate_record(c, jsonb_build_object('number', n,
      'until', c.until - n * interval '1 month'))).* from copied c, generate_series(2, ${seasons}) n;
    drop table copied;
    create table copied as select * from board_season_ranks;
    insert into board_season_ranks select (jsonb_populate_record(c, jsonb_build_object('number', n))).*
    from copied c, generate_series(2, ${seasons}) n;
    drop table copied`);
  return board;
}

const hide = ({ connection }: Database): Promise<unknown> =>
  sql`update accounts set hidden = true where name = ${login}`.execute(connection);

/** Returns the statements that readers see, without what differs from run to run. */
async function readStatements({ connection }: Database, { boardId }: BoardOfMany): Promise<(string | null)[]> {
  const found = await findSeasons(connection, boardId, { limit: 100 });
  assert.equal(found.length, seasons);
  return found.map(({ statement }) => statement && JSON.stringify(decodeJwt(statement)));
}

/** Returns all versions of all seasons as they are stored, without times and signatures. */
async function readStored({ pool }: Database): Promise<unknown[]> {
  const { rows } = await pool.query(`
    select number, version, definition, reason, statement is null as is_withdrawn, is_written, people, (
      select json_agg(json_build_array(place, is_anonymous, account_id is null) order by place) from board_season_ranks r
      where r.number = s.number and r.version = s.version) as ranks
    from board_seasons s order by number, version`);
  return rows;
}

function assertUnnamed(statements: readonly (string | null)[], at: number): void {
  for (const statement of statements) assert.ok(statement?.includes(login) !== true, `${at}: ${statement}`);
}

describe('statements of a person in many seasons', () => {
  it('are withdrawn in parts, once each, when the connection is lost before any statement', async () => {
    let expected: unknown[] | undefined;
    const every = isThorough ? 4 : 12;
    for (let at = 1_000_000; ; at = at === 1_000_000 ? 1 : at + every) {
      await using opened = await openTestDatabase();
      const { database } = opened;
      const board = await storeSeasons(database);
      for (const statement of await readStatements(database, board)) assert.ok(statement?.includes(login));
      await hide(database);
      assert.deepEqual(
        await readStatements(database, board),
        Array.from({ length: seasons }, () => null),
      );
      const isOver = await loseConnection(database, at, freeze);
      assertUnnamed(await readStatements(database, board), at);
      for (let run = 0; run < 3; run += 1) await freeze(database.connection);
      const statements = await readStatements(database, board);
      assert.ok(statements.every((statement) => statement !== null));
      assertUnnamed(statements, at);
      for (const table of ['pending_withdrawals', 'withdrawn_names'] as const)
        assert.deepEqual(await database.connection.selectFrom(table).selectAll().execute(), []);
      const stored = await readStored(database);
      assert.equal(stored.length, 2 * seasons);
      expected ??= stored;
      assert.deepEqual(stored, expected, String(at));
      if (isOver && at !== 1_000_000) return;
    }
  });

  it('are withdrawn a few seasons in each transaction, also while the person is erased', {
    skip: isOnCluster,
  }, async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const { connection } = database;
    const board = await storeSeasons(database);
    const { id } = await connection
      .selectFrom('accounts')
      .select('id')
      .where('name', '=', login)
      .executeTakeFirstOrThrow();
    const changed = await watchChangedRows(database, ['board_seasons', 'board_season_ranks', 'withdrawn_names']);
    const now = new Date('2026-05-03T00:00:00Z');
    await inTransaction(connection, async (transaction) => {
      await takeErasureLock(transaction);
      await emptyAccount(transaction, id, now);
    });
    assert.deepEqual(await changed(), []);
    assert.equal(await makeRanksAnonymous(connection, id, 10), 0, 'before the statements are withdrawn');
    const atOnce = { hidden: 1, erased: 1, found: 10, changed: 10, listed: 10, seasons: 2, others: 3 };
    while ((await eraseNext(connection, now, atOnce)) > 0) assertUnnamed(await readStatements(database, board), 0);
    const { rows } = await sql`select from accounts where id = ${id}`.execute(connection);
    assert.equal(rows.length, 0);
    const parts = await changed();
    assert.ok(parts.length > 5 && Math.max(...parts) <= 2 * atOnce.seasons, JSON.stringify(parts));
    assert.equal(await withdrawSome(connection, { limit: 1 }), 0);
    await freeze(connection);
    const statements = await readStatements(database, board);
    assert.ok(statements.every((statement) => statement !== null && !statement.includes(login)));
  });

  it('stay hidden while another process withdraws them', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const { connection } = database;
    const board = await storeSeasons(database);
    await hide(database);
    const other = await connection.startTransaction().execute();
    await sql`select from pending_withdrawals for update`.execute(other);
    await freeze(connection);
    assert.deepEqual(
      await readStatements(database, board),
      Array.from({ length: seasons }, () => null),
    );
    await other.rollback().execute();
    await freeze(connection);
    assertUnnamed(await readStatements(database, board), 0);
    assert.equal((await readStatements(database, board)).filter((statement) => statement !== null).length, seasons);
  });
});
