import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { findSeason } from '../../../src/boards/seasons/season-store.ts';
import { withdrawSome } from '../../../src/boards/seasons/withdrawal-store.ts';
import { exportLines, importLines, readHeader } from '../../../src/database/backup.ts';
import type { Database } from '../../../src/database/connection.ts';
import { isOnCluster, openTestDatabase } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { watchChangedRows } from '../changed-rows.ts';
import { begin } from '../contributions/erasure-fixture.ts';
import { analyzeTables, watchPlans } from '../plans.ts';
import { storeBoard } from './board-of-many.ts';

/** Stores counted seasons of some boards, each with all people but the first one, whose tables are not stored yet. */
async function countSeasons({ pool }: Database, boards: number): Promise<void> {
  await pool.query(`
    insert into boards (id, owner_id, slug, place, definition, is_current, is_private, owners, created_at)
    select gen_random_uuid(), owner_id, 'b' || n, n, definition, true, false, owners, now()
    from boards, generate_series(2, ${boards}) n;
    insert into board_seasons (board_id, number, version, until, definition, coverage, missing, frozen_at, reason,
      differences, is_written)
    select id, 1, 1, now(), definition, '{}', '{}', now(), '', '[]', false from boards;
    insert into next_season_ranks (board_id, number, version, part, people, account_ids)
    select b.id, 1, 1, p.part, json_agg(p), array_agg(p.account_id) from boards b, (
      select id as account_id, n as place, 'a further field' as more, n / 5000 as part
      from accounts, lateral (select substr(external_id, 2)::integer as n) p
      where external_id ~ '^p[0-9]+$' and external_id <> 'p1') p
    group by b.id, p.part`);
  await analyzeTables({ pool });
}

/** Stores a signed season of some boards, each with all people but the first one. */
async function signSeasons({ pool }: Database, boards: number): Promise<void> {
  await pool.query(`
    insert into boards (id, owner_id, slug, place, definition, is_current, is_private, owners, created_at)
    select gen_random_uuid(), owner_id, 'b' || n, n, definition, true, false, owners, now()
    from boards, generate_series(2, ${boards}) n;
    insert into board_seasons (board_id, number, version, until, definition, coverage, missing, frozen_at, reason,
      differences, statement)
    select id, 1, 1, now(), definition, '{}', '{}', now(), '', '[]', 'signed' from boards;
    insert into board_season_ranks (board_id, number, version, place, rank, account_id, is_anonymous, points, granted,
      by_rule, is_newcomer, is_returning, teams)
    select b.id, 1, 1, p.n, p.n, p.id, false, 1, 0, '{}', false, false, '{}' from boards b, (
      select id, substr(external_id, 2)::integer as n from accounts
      where external_id ~ '^p[0-9]+$' and external_id <> 'p1') p`);
  await analyzeTables({ pool });
}

const hide = (person: string) => sql`update accounts set hidden = true where external_id = ${person}`;

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

  it('costs as much with many signed seasons as with few, and hides the statements of all', {
    skip: isOnCluster,
  }, async () => {
    const costs: number[] = [];
    for (const boards of [2, isThorough ? 1000 : 300]) {
      await using opened = await openTestDatabase();
      const { database } = opened;
      await storeBoard(database, { people: 3 });
      await signSeasons(database, boards);
      const changed = await watchChangedRows(database, ['board_seasons', 'pending_withdrawals', 'withdrawn_names']);
      const ran = await watchPlans(database, (connection) => hide('p2').execute(connection));
      costs.push(ran.reduce((sum, { blocks }) => sum + blocks, 0));
      assert.deepEqual(await changed(), [1]);
      const { rows } = await sql<{ id: string }>`select id from boards`.execute(database.connection);
      for (const { id } of rows.slice(0, 5)) {
        const season = await findSeason(database.connection, id, 1);
        assert.deepEqual([season?.version, season?.statement], [1, null]);
      }
      await sql`delete from pending_withdrawals`.execute(database.connection);
      assert.equal((await findSeason(database.connection, rows[0]?.id ?? '', 1))?.statement, 'signed');
    }
    assert.ok((costs[1] ?? 0) < (costs[0] ?? 0) + 500, JSON.stringify(costs));
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
    await importLines(target.database, readHeader(header ?? undefined), lines);
    const imported = target.database.connection;
    assert.equal((await findSeason(imported, id, 1))?.statement, null);
    while ((await withdrawSome(imported, { limit: 1 })) > 0);
    const { rows } = await sql`select statement from board_seasons`.execute(imported);
    assert.deepEqual(rows, [{ statement: null }]);
  });

  it('reads as much with many people in them as with few', { skip: isOnCluster }, async () => {
    const costs: number[] = [];
    for (const people of isThorough ? [500, 50_000] : [500, 6000]) {
      await using opened = await openTestDatabase();
      const { database } = opened;
      await storeBoard(database, { people, mostIssues: 0 });
      await countSeasons(database, 5);
      for (const person of ['p1', 'p2']) {
        const ran = await watchPlans(database, (connection) => hide(person).execute(connection));
        // The search itself: a new session reads hundreds of blocks of the catalog for the statement around it.
        costs.push(...ran.filter(({ text }) => text.includes('next_season_ranks')).map(({ blocks }) => blocks));
      }
    }
    assert.equal(costs.length, 4);
    assert.ok(Math.max(...costs) < 100, JSON.stringify(costs));
    const [few, many] = [costs.slice(0, 2), costs.slice(2)].map((blocks) => blocks.reduce((sum, next) => sum + next));
    assert.ok((many ?? 0) < (few ?? 0) + 100, JSON.stringify(costs));
  });
});
