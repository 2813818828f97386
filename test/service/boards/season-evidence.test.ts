import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { ada, engines } from '../../integration/access/owner.ts';
import { readPages } from '../http/read-pages.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { freezeBoards, type Row, storeEndedBoard, toPath } from './ended-boards.ts';

/** Rounds a sum of points as totals are. */
function toHundredths(points: number): number {
  return Math.round(Math.round(points * 1e6) / 1e4) / 100;
}

describe('points of a frozen season', () => {
  const shared = shareStoredService();
  const path = `${engines.name}/boards`;

  it('lead from each point to its items by their own rule, and say what has changed since', async () => {
    const { service } = shared;
    const { connection } = service.database;
    const rules = [
      { action: 'commit', points: 2, decay: 0.5 },
      { action: 'issue', points: 1 },
    ];
    const grants = [
      { person: ada.name, points: 4, reason: 'Talk', granted_by: 'grace', until: '9999-12-31' },
      { person: ada.name, points: 9, reason: 'Expired', granted_by: 'grace', until: '2001-01-01' },
    ];
    await storeEndedBoard(service, 'traced', 5, { points: rules, grants });
    await freezeBoards(service);
    const response = await service.get(`${path}/traced/seasons/1?limit=100`);
    assert.equal(response.status, 200, response.text);
    const rows = response.body.data as unknown as Row[];
    // The present rule of the board is another one.
    await storeEndedBoard(service, 'traced', 4, { points: [{ action: 'review', points: 50 }] });
    const findSum = async ({ evidence_url: url }: Row, limit = 30) => {
      const read = await readPages(service, `${toPath(url)}&limit=${limit}`);
      const {
        sum,
        person,
        grants: granted,
      } = read.meta as unknown as {
        sum: { total: number; itemised: number; granted: number; remainder: number };
        person: { points: number; points_by_rule: { rule: number; points: number }[] };
        grants: { points: number }[];
      };
      const listed = read.items as { points: number; rule: number }[];
      const items = listed.reduce((all, { points }) => all + points, 0);
      assert.equal(sum.itemised, toHundredths(items));
      assert.equal(
        sum.granted,
        granted.reduce((all, { points }) => all + points, 0),
      );
      return { ...sum, person, items: listed };
    };
    assert.ok(rows.length > 3);
    for (const row of rows) {
      const { total, itemised, granted, remainder, person, items } = await findSum(row);
      assert.deepEqual([total, person.points, remainder], [row.points, row.points, 0]);
      assert.equal(toHundredths(itemised + granted), row.points);
      for (const { rule, points } of person.points_by_rule) {
        const ofRule = items.filter((item) => item.rule === rule);
        assert.equal(toHundredths(ofRule.reduce((all, item) => all + item.points, 0)), points);
      }
    }
    const [first = assert.fail()] = rows;
    const before = await findSum(first);
    await sql`
      insert into contributions (repository_id, kind, external_id, account_id, created_at, updated_at, seen_at)
      select r.id, 'issue', 'traced', a.id, '2026-01-01', now(), now()
      from repositories r, accounts a where r.name = 'engine-1' and a.name = ${first.person?.name}`.execute(connection);
    const after = await findSum(first, 29);
    assert.deepEqual(
      [after.total, toHundredths(after.itemised - before.itemised), after.remainder],
      [before.total, 1, -1],
    );
    await sql`delete from contributions where external_id = 'traced'`.execute(connection);
    const { text } = await service.get(`${path}/traced/seasons/1?format=csv`);
    assert.ok(text.includes(`,${first.evidence_url},`), text);
    for (const [season, person, status] of [
      [1, 'no-such-person', 404],
      [7, ada.name, 404],
      [0, ada.name, 400],
    ] as const)
      assert.equal((await service.get(`${path}/traced/people/${person}?season=${season}`)).status, status);
  });
});
