import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rankBoard } from '../../../src/recognition/boards/ranking/rank-board.ts';
import { freezeSeasons } from '../../../src/recognition/boards/seasons/freeze.ts';
import { engines } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { freezeBoards, freezingAt, type Row, storeEndedBoard } from './ended-boards.ts';

type ChangedRow = Row & { change: number | null };

describe('seasons of windows that a file names later', () => {
  const shared = shareStoredService();

  it('do not change what the ranks of a newer window are compared with', async () => {
    const { service } = shared;
    const freeze = async (daysAgo: number, fields: object, number: number): Promise<ChangedRow[]> => {
      await storeEndedBoard(service, 'moved', daysAgo, fields);
      await freezeSeasons(freezingAt(service, new Date()));
      const response = await service.get(`${engines.name}/boards/moved/seasons/${number}?limit=100`);
      assert.equal(response.status, 200, response.text);
      return response.body.data as unknown as ChangedRow[];
    };
    const first = await freeze(6, {}, 1);
    const last = first.at(-1)?.person?.name ?? assert.fail();
    const grants = [{ person: last, points: 1e6, reason: 'Talk', granted_by: 'grace', until: '9999-12-31' }];
    const older = await freeze(9, { grants }, 2);
    assert.deepEqual([older[0]?.person?.name, older[0]?.change], [last, null]);
    const newest = await freeze(4, {}, 3);
    assert.deepEqual(newest.find(({ person }) => person?.name === last)?.change, 0);
  });

  it('are listed in the order of their windows, newest first, and numbered in the order of freezing', async () => {
    const { service } = shared;
    const years = (from: number): object => ({ window: { seasons: 'year', from: `${from}-01-01` }, threshold: null });
    const thisYear = new Date().getUTCFullYear();
    const frozenAt = new Date(Date.UTC(thisYear, 11, 31));
    for (const from of [thisYear - 2, thisYear - 4]) {
      await storeEndedBoard(service, 'yearly', 0, years(from));
      await freezeBoards(service, frozenAt);
    }
    const path = `${engines.name}/boards/yearly`;
    const listed = async (query: string): Promise<{ rows: unknown[][]; next: string; previous: string }> => {
      const { status, text, body } = await service.get(`${path}/seasons?${query}`);
      assert.equal(status, 200, text);
      const seasons = body.data as unknown as { number: number; since: string }[];
      const rows = seasons.map(({ number, since }) => [number, Number(since.slice(0, 4)) - thisYear]);
      return { rows, next: String(body.next_cursor), previous: String(body.previous_cursor) };
    };
    const expected = [
      [2, -1],
      [1, -2],
      [4, -3],
      [3, -4],
    ];
    assert.deepEqual((await listed('')).rows, expected);
    const first = await listed('limit=3');
    const second = await listed(`limit=3&after=${first.next}`);
    assert.deepEqual([first.rows, second.rows], [expected.slice(0, 3), expected.slice(3)]);
    assert.deepEqual((await listed(`limit=3&before=${second.previous}`)).rows, first.rows);
    const csv = await service.get(`${path}/seasons?format=csv`);
    const numbers = csv.text
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map((line) => Number(line.split(',')[0]));
    assert.deepEqual(numbers, [2, 1, 4, 3]);
    const { connection } = service.database;
    const { id } = await connection
      .selectFrom('boards')
      .select('id')
      .where('slug', '=', 'yearly')
      .executeTakeFirstOrThrow();
    await rankBoard({ connection, now: () => new Date() }, id);
    const feed = (await service.get(`${path}/feed?format=json`)).body.data as unknown as { url: string }[];
    assert.deepEqual(
      feed.flatMap(({ url }) => /\?season=(\d+)$/.exec(url)?.[1] ?? []),
      ['2', '1', '4', '3'],
    );
  });
});
