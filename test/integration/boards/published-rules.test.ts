import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import type { Board } from '../../../src/recognition/boards/board.ts';
import { readBoardsFile } from '../../../src/recognition/boards/file/read-file.ts';
import { previewBoard } from '../../../src/recognition/boards/preview/preview-store.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { type NewItem, storeRepository } from './store-repository.ts';

/** The boards of the guide, by slug. */
const guide = new Map(
  [
    ...readFileSync(new URL('../../../docs/boards.md', import.meta.url), 'utf8').matchAll(/```yaml\n(.*?)```/gs),
  ].flatMap(([, yaml = '']) => {
    const { boards, reports } = readBoardsFile(Buffer.from(yaml), { provider: 'github' });
    assert.deepEqual(reports, []);
    return boards.map((board): [string, Board] => [board.slug, board]);
  }),
);

/** Returns the people of a board with their points, as `name points`, and who is new, as of a time. */
async function rank(slug: string, items: readonly NewItem[], now: string): Promise<string[]> {
  await using opened = await reuseTestDatabase();
  const { connection, pool } = opened.database;
  const planted = { owner: 'acme', name: 'app', items, newId: uuidv7 };
  const { ownerId, repositoryId } = await storeRepository(pool, planted);
  const board = guide.get(slug);
  assert.ok(board);
  const preview = () => previewBoard(connection, board, { ownerId, now: new Date(now) });
  const whileCollecting = (await preview()).people.filter(({ isNewcomer }) => isNewcomer);
  assert.deepEqual(whileCollecting, [], 'no person is new while older contributions may follow');
  await pool.query(
    `insert into streams (repository_id, name, covers, is_deep, completed_at, known_until)
     values ($1, 'all', '{commit,issue,pull_request,review,discussion}', true, now(), now())`,
    [repositoryId],
  );
  const { people } = await preview();
  return people.map(({ rank, name, points, isNewcomer }) => {
    const eligible = board.threshold !== null && points >= board.threshold ? ' eligible' : '';
    return `${rank} ${name} ${points}${isNewcomer ? ' new' : ''}${eligible}`;
  });
}

describe('published rules', () => {
  it('find the top contributors of a month', async () => {
    const commits = (author: string, day: string, count: number): NewItem[] =>
      Array.from({ length: count }, (_, hour) => ({ kind: 'commit', author, at: `${day}T0${hour}:00:00Z` }));
    const items: NewItem[] = [
      { kind: 'pull_request', author: 'ada', at: '2026-03-30T10:00:00Z', mergedAt: '2026-04-02T10:00:00Z' },
      { kind: 'pull_request', author: 'ada', at: '2026-04-30T10:00:00Z', mergedAt: '2026-05-01T00:00:00Z' },
      // The third commit of a day counts a half, the second two thirds.
      ...commits('ada', '2026-04-03', 3),
      ...commits('bob', '2026-04-04', 1),
      ...commits('bob', '2026-02-04', 1),
      // Six reviews of two points are more than the ten points of a day.
      ...Array.from(
        { length: 6 },
        (_, hour): NewItem => ({
          kind: 'review',
          author: 'carol',
          at: `2026-04-05T0${hour}:00:00Z`,
        }),
      ),
      {
        kind: 'issue',
        author: 'bob',
        at: '2026-04-01T00:00:00Z',
        closedAt: '2026-04-06T00:00:00Z',
        resolvedBy: 'dave',
      },
    ];
    // The 4th season includes 5 points for the merged pull request of April, which ada opened before.
    assert.deepEqual(await rank('monthly', items, '2026-04-20T00:00:00Z'), [
      '1 carol 10 new',
      '2 ada 7.17',
      '3 dave 3 new',
      '4 bob 1',
    ]);
  });

  it('find who completed a hackathon month', async () => {
    const pull = (author: string, day: number, labels: string[], hour = 10): NewItem => ({
      kind: 'pull_request',
      author,
      labels,
      at: `2026-10-01T00:00:00Z`,
      mergedAt: `2026-10-${String(day).padStart(2, '0')}T${hour}:00:00Z`,
    });
    const accepted = ['Hacktoberfest-Accepted'];
    const items = [
      ...[1, 2, 3, 4].flatMap((day) => [pull('ada', day, accepted), pull('erin', day, accepted)]),
      // Three of one day are two points.
      ...[10, 11, 12].map((hour) => pull('bob', 5, accepted, hour)),
      pull('bob', 6, accepted),
      pull('bob', 7, [...accepted, 'spam']),
      pull('carol', 8, ['bug']),
      pull('dave', 31, accepted, 23),
      // Ada is no new contributor, also by a contribution that the rule does not count.
      { kind: 'issue', author: 'ada', at: '2026-09-01T00:00:00Z' } as const,
    ];
    assert.deepEqual(await rank('hackathon-2026', items, '2026-11-02T00:00:00Z'), [
      '1 erin 4 new eligible',
      '2 bob 3 new',
      '3 dave 1 new',
    ]);
  });

  it('find who may vote in a steering election, with exceptions that were granted', async () => {
    const commits = (author: string, count: number, year = 2026): NewItem[] =>
      Array.from({ length: count }, (_, index) => ({
        kind: 'commit',
        author,
        at: new Date(Date.UTC(year, 1, 1) + index * 3_600_000).toISOString(),
      }));
    const items: NewItem[] = [
      ...commits('bob', 49),
      { kind: 'issue_comment', author: 'bob', at: '2026-08-31T23:59:59Z' },
      ...commits('carol', 49),
      { kind: 'issue_comment', author: 'carol', at: '2026-09-01T00:00:00Z' },
      ...commits('dave', 60, 2025),
      { kind: 'issue', author: 'ada', at: '2026-01-01T00:00:00Z' },
      ...commits('ci[bot]', 60),
    ];
    assert.deepEqual(await rank('steering-2026', items, '2026-09-02T00:00:00Z'), [
      '1 ada 51 new eligible',
      '2 bob 50 new eligible',
      '3 carol 49 new',
    ]);
  });
});
