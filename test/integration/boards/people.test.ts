import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import { readBoardsFile } from '../../../src/boards/file/read-file.ts';
import { warningsOf } from '../../../src/boards/preview/fairness.ts';
import { type BoardPreview, previewBoard } from '../../../src/boards/preview/preview-store.ts';
import { openTestDatabase } from '../../database.ts';
import { type NewItem, plantRepository } from './plant.ts';

const now = new Date('2026-07-01T00:00:00Z');
const issue = (author: string, day: number, labels: string[] = []): NewItem => ({
  kind: 'issue',
  author,
  labels,
  at: `2026-06-${String(day).padStart(2, '0')}T12:00:00Z`,
});
const merged = (author: string, mergedBy: string): NewItem => ({
  kind: 'pull_request',
  author,
  mergedBy,
  at: '2026-06-10T12:00:00Z',
  mergedAt: '2026-06-11T12:00:00Z',
});

let opened: Awaited<ReturnType<typeof openTestDatabase>>;
let ownerId: string;

async function preview(fields: object): Promise<BoardPreview> {
  const board = {
    name: 'Board',
    slug: 'board',
    repositories: ['ada/app'],
    points: [{ action: 'issue', points: 1 }],
    ...fields,
  };
  const file = JSON.stringify({ version: 1, boards: [{ board }] });
  const {
    boards: [read],
    reports,
  } = readBoardsFile(Buffer.from(file), { provider: 'github' });
  assert.ok(read, JSON.stringify(reports));
  return previewBoard(opened.database.connection, read, { ownerId, now });
}

async function ranked(fields: object): Promise<string[]> {
  const { people } = await preview(fields);
  return people.map(({ rank, name, points }) => `${rank} ${name} ${points}`);
}

describe('the people of a board', () => {
  before(async () => {
    opened = await openTestDatabase();
    const items = [
      ...[1, 5].map((day) => issue('bob', day)),
      ...[2, 3].map((day) => issue('carol', day)),
      issue('dave', 4, ['Invalid']),
      issue('ci[bot]', 1),
      issue('hidden', 1),
      issue('hidden', 2),
      issue('hidden', 3),
      merged('ada', 'ada'),
      merged('bob', 'ada'),
      merged('carol', 'carol'),
    ];
    const { pool } = opened.database;
    ({ ownerId } = await plantRepository(pool, { owner: 'ada', name: 'app', items, newId: uuidv7 }));
    await pool.query(`update accounts set hidden = true where name = 'hidden'`);
  });

  after(() => opened[Symbol.asyncDispose]());

  it('are ranked without bots, hidden accounts, excluded logins, and items with a label of spam', async () => {
    assert.deepEqual(await ranked({ spam_labels: ['invalid'] }), ['1 bob 2', '1 carol 2']);
    assert.deepEqual(await ranked({ people: { bots: true, exclude: ['Carol'] } }), [
      '1 bob 2',
      '2 ci[bot] 1',
      '2 dave 1',
    ]);
  });

  it('are never agents, not even those that were stored as people', async () => {
    const { pool } = opened.database;
    await pool.query(`update accounts set name = 'Claude' where name = 'carol'`);
    assert.deepEqual(await ranked({}), ['1 bob 2', '2 dave 1']);
    assert.deepEqual(await ranked({ people: { bots: true } }), ['1 bob 2', '2 ci[bot] 1', '2 dave 1']);
    await pool.query(`update accounts set name = 'carol' where name = 'Claude'`);
  });

  it('share a rank, or the one who got there first is ahead', async () => {
    assert.deepEqual(await ranked({}), ['1 bob 2', '1 carol 2', '3 dave 1']);
    assert.deepEqual(await ranked({ ties: 'earliest' }), ['1 carol 2', '2 bob 2', '3 dave 1']);
  });

  it('get no points for pull requests that they merged into their own repository', async () => {
    const points = [{ action: 'pull_request', condition: 'merged = true', points: 3 }];
    assert.deepEqual(await ranked({ points }), ['1 bob 3', '1 carol 3']);
    assert.deepEqual(await ranked({ points, self_merged: true }), ['1 ada 3', '1 bob 3', '1 carol 3']);
  });

  it('get granted points until the last day of the grant', async () => {
    const grant = { person: 'dave', points: 40, reason: 'Release manager', granted_by: 'ada' };
    const window = { since: '2026-06-01', until: '2026-06-30' };
    assert.deepEqual((await ranked({ window, grants: [{ ...grant, until: '2026-06-29' }] }))[0], '1 bob 2');
    // The window has ended, so that the grant counts as of its end.
    assert.deepEqual((await ranked({ window, grants: [{ ...grant, until: '2026-07-01' }] }))[0], '1 dave 41');
    assert.deepEqual((await ranked({ grants: [{ ...grant, person: 'ada' }] }))[0], '1 ada 40');
  });

  it('are counted in repositories that patterns match, of which none is private', async () => {
    const { pool } = opened.database;
    await pool.query(`update repositories set is_private = true`);
    assert.deepEqual(await ranked({}), []);
    assert.deepEqual(await ranked({ private: true, repositories: ['ada/*'] }), ['1 bob 2', '1 carol 2', '3 dave 1']);
    const other = ownerId;
    ownerId = uuidv7();
    const foreign = await preview({ private: true });
    const absent = await preview({ private: true, repositories: ['ada/xyz'] });
    ownerId = other;
    assert.equal(
      JSON.stringify(foreign.members.coverage),
      JSON.stringify(absent.members.coverage).replace('xyz', 'app'),
    );
    await pool.query(`update repositories set is_private = false`);
    assert.deepEqual(await ranked({ repositories: ['ada/a?p', '!ADA/app'] }), []);
    assert.deepEqual((await ranked({ repositories: ['github/ada/*'] }))[0], '1 bob 2');
  });

  it('read in a preview what a rule rewards most, and which rules can be exploited', async () => {
    const points = [
      { action: 'issue', points: 9 },
      { action: 'commit', points: 1 },
      { action: 'pull_request', points: 1 },
    ];
    const grants = [{ person: 'nobody-here', points: 1, reason: 'x', granted_by: 'ada' }];
    const shown = await preview({ points, grants, repositories: ['ada/app', 'ada/gone'] });
    assert.deepEqual(warningsOf(shown), [
      'Rule 1 gives 96 % of all points: 9 points for each issue of their own.',
      'Rule 1 rewards work that is split into many issues: per_day limits the points of a day, decay lowers them.',
      'Rule 2 rewards work that is split into many commits: per_day limits the points of a day, decay lowers them.',
      'The window is open: all contributions ever made count.',
      'Not installed, so that nothing is collected for this board: github/ada/gone.',
      'No account is stored of: github/nobody-here.',
    ]);
  });
});
