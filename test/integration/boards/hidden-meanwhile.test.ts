import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { countImported } from '../../../src/contributions/count-imported-store.ts';
import { exportLines, importLines, readHeader } from '../../../src/database/copy/export.ts';
import { findSeason } from '../../../src/recognition/boards/seasons/season-store.ts';
import { withdrawSome } from '../../../src/recognition/boards/seasons/withdrawal-store.ts';
import { openTestDatabase } from '../../database.ts';
import { begin } from '../contributions/erasure-fixture.ts';
import { storeBoard } from './board-of-many.ts';
import { countSeasons, hide, signSeasons } from './stored-seasons.ts';

describe('hiding an account while seasons are counted', () => {
  it('waits for none of them, and withdraws those that have the account, and no others, when they are stored', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const { connection } = database;
    await storeBoard(database, { people: 3 });
    await countSeasons(database, 2);
    const storing = await begin(connection, async (transaction) => {
      await sql`select from board_seasons for no key update`.execute(transaction);
    });
    for (const person of ['p1', 'p2']) {
      await connection.transaction().execute(async (transaction) => {
        await sql`set local lock_timeout = '200ms'`.execute(transaction);
        await hide(person).execute(transaction);
      });
    }
    await storing.commit();
    while ((await withdrawSome(connection, { limit: 1 })) > 0);
    const { rows } = await sql`select name from withdrawn_names`.execute(connection);
    assert.deepEqual(rows, [{ name: 'github/person-000002' }, { name: 'github/person-000002' }]);
    assert.deepEqual(await connection.selectFrom('pending_withdrawals').selectAll().execute(), []);
  });

  it('keeps readers from the statements also after the database was exported and imported', async () => {
    await using source = await openTestDatabase();
    await using target = await openTestDatabase();
    const { connection } = source.database;
    await storeBoard(source.database, { people: 3 });
    await signSeasons(source.database, 1);
    const { id } = await connection.selectFrom('boards').select('id').executeTakeFirstOrThrow();
    await hide('p2').execute(connection);
    const lines = exportLines(connection);
    const { value: header } = await lines.next();
    await importLines(target.database, { migration: readHeader(header ?? undefined), lines: lines }, countImported);
    const imported = target.database.connection;
    assert.equal((await findSeason(imported, id, 1))?.statement, null);
    while ((await withdrawSome(imported, { limit: 1 })) > 0);
    const { rows } = await sql`select statement from board_seasons`.execute(imported);
    assert.deepEqual(rows, [{ statement: null }]);
  });
});
