import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import type { Database } from '../../../src/database/connection.ts';
import { openTestDatabase } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { begin } from '../contributions/erasure-fixture.ts';
import { watchPlans } from '../plans.ts';
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
  await pool.query('vacuum analyze');
}

const hide = (person: string) => sql`update accounts set hidden = true where external_id = ${person}`;

describe('hiding an account while seasons are counted', () => {
  it('locks those of them that have the account, and no others', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const { connection } = database;
    await storeBoard(database, { people: 3 });
    await countSeasons(database, 2);
    const storing = await begin(connection, async (transaction) => {
      await sql`select from board_seasons for no key update`.execute(transaction);
    });
    const hideBriefly = (person: string): Promise<unknown> =>
      connection.transaction().execute(async (transaction) => {
        await sql`set local lock_timeout = '200ms'`.execute(transaction);
        await hide(person).execute(transaction);
      });
    await hideBriefly('p1');
    await assert.rejects(hideBriefly('p2'), { code: '55P03' });
    await storing.commit();
    await hideBriefly('p2');
    const { rows } = await sql`select name from withdrawn_names`.execute(connection);
    assert.deepEqual(rows, [{ name: 'github/person-000002' }, { name: 'github/person-000002' }]);
  });

  it('reads as much with many people in them as with few', async () => {
    const costs: number[] = [];
    for (const people of isThorough ? [500, 50_000] : [500, 10_000]) {
      await using opened = await openTestDatabase();
      const { database } = opened;
      await storeBoard(database, { people, mostIssues: 0 });
      await countSeasons(database, 5);
      for (const person of ['p1', 'p2']) {
        const ran = await watchPlans(database, (connection) => hide(person).execute(connection));
        costs.push(...ran.filter(({ text }) => text.includes('seasons_of_account')).map(({ blocks }) => blocks));
      }
    }
    assert.equal(costs.length, 8);
    assert.ok(Math.max(...costs) < 600, JSON.stringify(costs));
    const [few, many] = [costs.slice(0, 4), costs.slice(4)].map((blocks) => blocks.reduce((sum, next) => sum + next));
    assert.ok((many ?? 0) < (few ?? 0) + 100, JSON.stringify(costs));
  });
});
