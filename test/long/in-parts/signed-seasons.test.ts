import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeJwt } from 'jose';
import { sql } from 'kysely';
import { generateSigningKey } from '../../../src/accounts/access/tokens/signing-key-store.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { freezeSeasons } from '../../../src/recognition/boards/seasons/freeze.ts';
import { findSeason, findSeasonRanks } from '../../../src/recognition/boards/seasons/season-store.ts';
import { openTestDatabase } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { type BoardOfMany, storeBoard } from '../../integration/boards/board-of-many.ts';
import { begin, untilWaiting } from '../../integration/contributions/erasure-fixture.ts';
import { interleave, type Place } from '../../integration/interleave.ts';

const people = 20;
const window = { since: '2026-04-01', until: '2026-05-01' };
const freeze = (connection: Connection): Promise<void> =>
  freezeSeasons({
    connection,
    peopleAtOnce: 7,
    now: () => new Date('2026-05-02T12:00:00Z'),
    publicUrl: () => 'https://plaudit.example',
    credentialAlgorithm: 'EdDSA',
    newSigningKey: generateSigningKey,
  });

const toLogin = (person: number): string => `person-${String(person).padStart(6, '0')}`;
const hide = ({ connection }: Database, person: number): Promise<unknown> =>
  sql`update accounts set hidden = true where external_id = ${`p${person}`}`.execute(connection);
const show = ({ connection }: Database, person: number): Promise<unknown> =>
  sql`update accounts set hidden = false where external_id = ${`p${person}`}`.execute(connection);
const erase = ({ connection }: Database, person: number): Promise<unknown> =>
  sql`delete from accounts where external_id = ${`p${person}`}`.execute(connection);

interface Claims {
  people: { rank: number; points: number; person: { login: string } | null }[];
}

/** Asserts that a season is signed without some people, as its table says. */
async function assertSigned({ connection }: Database, { boardId }: BoardOfMany, without: readonly number[]) {
  const season = (await findSeason(connection, boardId, 1)) ?? assert.fail('no season is shown');
  assert.ok(season.statement !== null);
  const claims = decodeJwt(season.statement) as unknown as Claims;
  const logins = claims.people.map(({ person }) => person?.login ?? null);
  const ranks = await findSeasonRanks(connection, season, { limit: 1000 });
  assert.deepEqual(
    logins,
    ranks.map(({ person }) => person?.name ?? null),
  );
  for (const login of without.map(toLogin)) assert.ok(!logins.includes(login), login);
  assert.equal(logins.filter((login) => login !== null).length, people - without.length);
}

/** Returns whether a place is after the reading of a table, and before the transaction that stores its statement. */
function isSigned({ isInTransaction }: Place, hasRead: boolean): boolean {
  return hasRead && !isInTransaction;
}

describe('signing a season', () => {
  for (const [name, change] of Object.entries({ hidden: hide, erased: erase })) {
    it(`lets a person be ${name} after the table is read, and stores no statement with the name`, async () => {
      await using opened = await openTestDatabase();
      const { database } = opened;
      const board = await storeBoard(database, { people, window });
      let hasRead = false;
      let isChanged = false;
      const stored: (string | null)[] = [];
      await interleave(database, freeze, async (place) => {
        if (!isChanged && isSigned(place, hasRead)) {
          isChanged = true;
          await change(database, 9);
        }
        hasRead ||= place.text.includes('order by r.place');
        const { rows } = await sql<{ statement: string }>`select statement from board_seasons`.execute(
          database.connection,
        );
        stored.push(...rows.map(({ statement }) => statement));
      });
      assert.ok(isChanged);
      // The season is signed in the same run, by its first statement that is stored.
      await assertSigned(database, board, [9]);
      const names = stored.map((statement) => JSON.stringify(statement === null ? null : decodeJwt(statement)));
      assert.ok(names.every((text) => !text.includes(toLogin(9))));
      assert.equal((await findSeason(database.connection, board.boardId, 1))?.version, 1);
    });
  }

  it('leaves out a person who is hidden before any statement of the run', async () => {
    let statements = Number.POSITIVE_INFINITY;
    for (let at = 1; at <= statements; at += isThorough ? 1 : 9) {
      await using opened = await openTestDatabase();
      const { database } = opened;
      const board = await storeBoard(database, { people, window });
      let hiding: Promise<unknown> | undefined;
      statements = await interleave(database, freeze, async ({ number, isInTransaction }) => {
        if (number !== at) return;
        hiding = hide(database, 9);
        // It may wait for the transaction.
        if (!isInTransaction) await hiding;
      });
      await hiding;
      await freeze(database.connection);
      await assertSigned(database, board, [9]);
    }
  });

  it('waits for a transaction that has hidden a person before the season was counted', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const board = await storeBoard(database, { people, window });
    const hiding = await begin(database.connection, async (transaction) => {
      await sql`update accounts set hidden = true where external_id = 'p9'`.execute(transaction);
    });
    const frozen = freeze(database.connection);
    await untilWaiting(database);
    await hiding.commit();
    await frozen;
    await assertSigned(database, board, [9]);
  });

  it('agrees with the table when a person is shown again meanwhile', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const board = await storeBoard(database, { people, window });
    let reads = 0;
    let changes = 0;
    await interleave(database, freeze, async (place) => {
      if (isSigned(place, reads > changes)) {
        changes += 1;
        if (changes === 1) await hide(database, 9);
        if (changes === 2) await show(database, 9);
      }
      reads += Number(place.text.includes('order by r.place'));
    });
    assert.ok(changes >= 2);
    await freeze(database.connection);
    await assertSigned(database, board, [9]);
  });

  it('ends when people are hidden during each of its attempts', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const board = await storeBoard(database, { people, window });
    const hidden: number[] = [];
    let reads = 0;
    let isReadInTransaction = false;
    await interleave(database, freeze, async (place) => {
      if (isSigned(place, reads > hidden.length)) {
        hidden.push(hidden.length + 1);
        await hide(database, hidden.length);
      }
      if (!place.text.includes('order by r.place')) return;
      // The last attempt reads the table in its transaction, for which others wait.
      if (place.isInTransaction) isReadInTransaction = true;
      else reads += 1;
    });
    assert.ok(isReadInTransaction);
    assert.equal(hidden.length, 5);
    await assertSigned(database, board, hidden);
  });
});
