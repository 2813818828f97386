import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { listMembers } from '../../../bench/members-of.ts';
import type { Board } from '../../../src/recognition/boards/board.ts';
import { toBoardWindow } from '../../../src/recognition/boards/board-window.ts';
import { readBoardsFile } from '../../../src/recognition/boards/file/read-file.ts';
import { rankedSql } from '../../../src/recognition/boards/ranking/rank-store.ts';
import { withEvaluationMemory } from '../../../src/recognition/rules/evaluation/evaluate-store.ts';
import { isThorough } from '../../depth.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { storeWorld } from '../achievements/evaluation/stored-world.ts';
import { beginning, days, labels, randomWorld, type World } from '../achievements/evaluation/world.ts';
import { type BoardText, countNaively } from './naive-board.ts';
import { randomRule, writtenRule } from './random-rule.ts';

let opened: Awaited<ReturnType<typeof reuseTestDatabase>>;
const now = new Date('2024-06-01T12:00:00Z');
const dayMs = 86_400_000;

const randomBoard: fc.Arbitrary<BoardText> = fc
  .record({
    rules: fc.array(randomRule, { minLength: 1, maxLength: 8 }),
    spam: fc.subarray(labels.slice(0, 3)),
    first: fc.integer({ min: 0, max: days - 1 }),
    length: fc.integer({ min: 1, max: days }),
  })
  .map(({ first, length, ...rest }) => {
    // The first hour of a day in Berlin is the last one of the day before in UTC.
    const since = beginning + first * dayMs - 3_600_000;
    return Object.assign(rest, { since, until: since + length * dayMs });
  });

function toBoard({ rules, spam, since, until }: BoardText): Board {
  const fields = {
    name: 'Board',
    slug: 'board',
    repositories: ['ada/world'],
    window: { since: new Date(since).toISOString(), until: new Date(until).toISOString(), time_zone: 'Europe/Berlin' },
    points: rules.map(writtenRule),
    spam_labels: spam,
  };
  const file = JSON.stringify({ boards: [{ board: fields }] });
  const {
    boards: [board],
    reports,
  } = readBoardsFile(Buffer.from(file), { provider: 'github' });
  assert.ok(board, JSON.stringify(reports));
  return board;
}

/** Returns the people of a board as it ranks them: the place of each in the world, and the rest of the row. */
async function rank(board: Board, world: World, at = now): Promise<Map<number, Record<string, unknown>>> {
  const { repositoryId, accountIds } = await storeWorld(opened.database.pool, world);
  const query = rankedSql({
    board,
    window: toBoardWindow(board.window, at),
    members: listMembers(repositoryId, at),
    now: at,
  });
  const { rows } = await withEvaluationMemory(opened.database.connection, (transaction) =>
    sql<Record<string, unknown> & { account_id: string }>`${query}`.execute(transaction),
  );
  return new Map(rows.map((row) => [accountIds.indexOf(row.account_id), row]));
}

describe('points of a board', () => {
  before(async () => {
    opened = await reuseTestDatabase();
  });

  after(() => opened[Symbol.asyncDispose]());

  it('are those of an independent count for each person and rule', async () => {
    await fc.assert(
      fc.asyncProperty(randomWorld, randomBoard, async (world, text) => {
        const ranked = await rank(toBoard(text), world);
        const expected = countNaively(text, world);
        const counted = [...ranked].map(
          ([person, { points, by_rule: byRule, is_newcomer: newcomer, is_returning: returning }]) => [
            person,
            { points, byRule: positive(byRule), newcomer, returning },
          ],
        );
        assert.deepEqual(Object.fromEntries(counted), Object.fromEntries(expected), JSON.stringify(text));
      }),
      { numRuns: isThorough ? 400 : 25 },
    );
  });

  it('count nothing that is dated after the present day', async () => {
    await fc.assert(
      fc.asyncProperty(randomWorld, randomBoard, async (world, text) => {
        const ranked = await rank(toBoard(text), world, new Date(text.since + dayMs / 2));
        const expected = countNaively({ ...text, until: text.since + dayMs }, world);
        const points = [...ranked].map(([person, row]) => [person, row['points']]);
        const naive = [...expected].map(([person, found]) => [person, found.points]);
        assert.deepEqual(Object.fromEntries(points), Object.fromEntries(naive), JSON.stringify(text));
      }),
      { numRuns: isThorough ? 100 : 10 },
    );
  });
});

function positive(byRule: unknown): object {
  return Object.fromEntries(Object.entries(Object(byRule)).filter(([, points]) => points !== 0));
}
