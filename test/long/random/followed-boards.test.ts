import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { saveBoards } from '../../../src/recognition/boards/board-store.ts';
import { toBoardWindow } from '../../../src/recognition/boards/board-window.ts';
import { readBoardsFile } from '../../../src/recognition/boards/file/read-file.ts';
import { findMembers } from '../../../src/recognition/boards/ranking/member-store.ts';
import { rankBoard } from '../../../src/recognition/boards/ranking/rank-board.ts';
import { rankedSql } from '../../../src/recognition/boards/ranking/rank-store.ts';
import { rankedRowsInSql } from '../../../src/recognition/boards/ranking/ranking-version-store.ts';
import { withEvaluationMemory } from '../../../src/recognition/rules/evaluation/evaluate-store.ts';
import { openTestDatabase } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { beginning } from '../../integration/achievements/evaluation/world.ts';
import { type ChangingWorld, makeChange, randomChange, storeWorld } from '../../integration/boards/random-changes.ts';
import { randomRule, writtenRule } from '../../integration/boards/random-rule.ts';
import { makeContribution, storeContributions } from '../../integration/contributions/stored-repository.ts';

let opened: Awaited<ReturnType<typeof openTestDatabase>>;
const hourMs = 3_600_000;

/** A board over all repositories of two owners at two hosts, whose grants end at different days. */
const randomBoard = fc.record({
  rules: fc.array(randomRule, { minLength: 1, maxLength: 3 }),
  window: fc.constantFrom(
    {},
    { since: '2024-01-02', until: '2024-01-05', time_zone: 'Europe/Berlin' },
    { period: 'last-7d', time_zone: 'Europe/Berlin' },
    { seasons: 'week', from: '2024-01-01' },
  ),
  ties: fc.constantFrom('shared', 'earliest'),
  isPrivate: fc.boolean(),
  countsSelfMerged: fc.boolean(),
  hasTeam: fc.boolean(),
  isOfTeam: fc.boolean(),
  spam: fc.constantFrom([], ['bug']),
});

const step = fc.oneof(
  { weight: 6, arbitrary: randomChange },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('rank' as const), isKilled: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), hours: fc.constantFrom(0.5, 3, 13, 30) }) },
);

type RandomBoard = typeof randomBoard extends fc.Arbitrary<infer Board> ? Board : never;

function toFile(board: RandomBoard, [ownPattern, otherPattern]: readonly string[]): string {
  const fields = {
    name: 'Board',
    slug: 'board',
    repositories: ['acme/*', `${otherPattern}/acme/*`],
    private: board.isPrivate,
    window: board.window,
    points: board.rules.map(writtenRule),
    ties: board.ties,
    self_merged: board.countsSelfMerged,
    spam_labels: board.spam,
    people: { bots: true, exclude: ['excluded'], ...(board.isOfTeam && { only_members_of: 'acme/core' }) },
    ...(board.hasTeam && { teams: { red: ['ada', `${otherPattern}/bob`], blue: ['@acme/core'] } }),
    grants: [
      { person: 'ada', points: 3, reason: 'r', granted_by: 'bob', until: '2024-01-04' },
      { person: 'granted', points: 7, reason: 'r', granted_by: 'bob' },
      { person: `${ownPattern}/Carol-C`, points: 1, reason: 'r', granted_by: 'bob', until: '2024-01-06' },
    ],
  };
  return JSON.stringify({ version: 1, boards: [{ board: fields }] });
}

/** Ranks of people at the end of a day. */
type Ranks = ReadonlyMap<string, number>;

interface Ranking {
  boardId: string;
  world: ChangingWorld;
  now: Date;
}

const compared = sql`place::integer, rank::integer, account_id, points, granted, by_rule::text as by_rule, is_newcomer,
  is_returning, first_at, reached_at, teams, member_teams`;

async function compareWithWhole({ boardId, world, now }: Ranking, file: string, provider: string): Promise<Ranks> {
  const { connection } = opened.database;
  const {
    boards: [board],
  } = readBoardsFile(Buffer.from(file), { provider });
  assert.ok(board);
  const { version } = await connection
    .selectFrom('board_rankings')
    .select('version')
    .where('board_id', '=', boardId)
    .executeTakeFirstOrThrow();
  const members = await findMembers(connection, board, world.ownerId);
  const input = { board, members, window: toBoardWindow(board.window, now), now };
  const expected = await withEvaluationMemory(connection, (transaction) =>
    sql`select ${compared} from (${rankedSql(input)}) r order by place`.execute(transaction),
  );
  const stored = await sql<{ account_id: string; rank: number }>`
    select ${compared} from (${rankedRowsInSql({ boardId, version, board })}) r order by place`.execute(connection);
  assert.deepEqual(stored.rows, expected.rows);
  return new Map(stored.rows.map(({ account_id: id, rank }) => [id, rank]));
}

const minuteMs = 60_000;
const begun = new Date('2024-01-03T12:00:00Z');
const later = (ms: number) => ({
  connection: opened.database.connection,
  now: () => new Date(begun.getTime() + 2 * minuteMs + ms),
});

/** Stores a board of issues, ranks it twice, so that it follows changes from then on, and returns how to add an issue. */
const prepare = async (): Promise<{ boardId: string; addIssue: () => Promise<void>; world: ChangingWorld }> => {
  const { connection } = opened.database;
  const provider = `one-${uuidv7()}`;
  const world = await storeWorld(connection, [provider, `two-${uuidv7()}`]);
  const fields = { name: 'B', slug: 'b', repositories: ['acme/app'], points: [{ action: 'issue', points: 1 }] };
  const file = JSON.stringify({ version: 1, boards: [{ board: fields }] });
  const { boards } = readBoardsFile(Buffer.from(file), { provider });
  await inTransaction(connection, (transaction) =>
    saveBoards(transaction, world.ownerId, boards, { now: begun, newId: uuidv7 }),
  );
  const { id: boardId } = await connection
    .selectFrom('boards')
    .select('id')
    .where('owner_id', '=', world.ownerId)
    .executeTakeFirstOrThrow();
  for (const now of [begun, later(0).now()]) await rankBoard({ connection, now: () => now }, boardId);
  let issues = 0;
  const addIssue = async (): Promise<void> => {
    issues += 1;
    const author = world.accountIds[0] ?? null;
    const issue = makeContribution({ externalId: String(issues), author, createdAt: begun });
    await storeContributions(connection, world.repositoryIds[0] ?? '', [issue]);
  };
  return { boardId, addIssue, world };
};

describe('updating of a ranking after changes', () => {
  before(async () => {
    opened = await openTestDatabase();
  });

  after(() => opened[Symbol.asyncDispose]());

  it('ends with the points and ranks of a whole ranking, after any changes, days and interruptions', async () => {
    const extents = { all: 0, affected: 0 };
    await fc.assert(
      fc.asyncProperty(randomBoard, fc.array(step, { minLength: 5, maxLength: 40 }), async (random, steps) => {
        const { connection } = opened.database;
        const providers = [`one-${uuidv7()}`, `two-${uuidv7()}`];
        const [provider = ''] = providers;
        const world = await storeWorld(connection, providers);
        const file = toFile(random, providers);
        const { boards, reports } = readBoardsFile(Buffer.from(file), { provider });
        assert.equal(boards.length, 1, JSON.stringify(reports));
        let now = new Date(beginning + 30 * hourMs);
        await inTransaction(connection, (transaction) =>
          saveBoards(transaction, world.ownerId, boards, { now, newId: uuidv7 }),
        );
        const { id: boardId } = await connection
          .selectFrom('boards')
          .select('id')
          .where('owner_id', '=', world.ownerId)
          .executeTakeFirstOrThrow();
        await rankBoard({ connection, now: () => now }, boardId);
        // Rankings of the first minute count everyone.
        now = new Date(now.getTime() + 90_000);
        for (const [index, step] of [...steps, { kind: 'rank', isKilled: false } as const].entries()) {
          if (step.kind === 'wait') now = new Date(now.getTime() + step.hours * hourMs);
          else if (step.kind !== 'rank') await makeChange(world, step, index);
          else {
            if (step.isKilled) await rankAndExit(boardId, now);
            now = new Date(now.getTime() + 1000);
            const outcome = await rankBoard({ connection, now: () => now }, boardId);
            if (outcome.kind === 'ranked') extents[outcome.extent] += 1;
            await compareWithWhole({ boardId, world, now }, file, provider);
          }
        }
      }),
      { numRuns: isThorough ? 400 : 8 },
    );
    // Both kinds of rankings are tried; the random steps decide how often.
    assert.ok(extents.affected * 10 > extents.all, JSON.stringify(extents));
  });

  it('reports people of whom no change was noted, when everyone is counted again as a check', async () => {
    const { boardId, addIssue } = await prepare();
    await addIssue();
    const followed = await rankBoard(later(1000), boardId);
    assert.deepEqual(followed, { kind: 'ranked', extent: 'affected', changed: 1, unnoted: 0, isCheckDue: false });
    await addIssue();
    await sql`delete from board_changes`.execute(opened.database.connection);
    const unaware = await rankBoard(later(61 * minuteMs), boardId);
    assert.deepEqual(unaware, { kind: 'ranked', extent: 'affected', changed: 0, unnoted: 0, isCheckDue: true });
    await addIssue();
    const check = await rankBoard(later(61 * minuteMs), boardId, { isCheck: true });
    assert.deepEqual(check, { kind: 'ranked', extent: 'all', changed: 1, unnoted: 0, isCheckDue: false });
    await addIssue();
    await sql`delete from board_changes`.execute(opened.database.connection);
    const found = await rankBoard(later(62 * minuteMs), boardId, { isCheck: true });
    assert.deepEqual(found, { kind: 'ranked', extent: 'all', changed: 1, unnoted: 1, isCheckDue: false });
  });

  it('delays a count of everyone, and counts noted people at once', async () => {
    const { boardId, addIssue, world } = await prepare();
    const { connection } = opened.database;
    await sql`update board_rankings set whole_cost_ms = 9000`.execute(connection);
    await addIssue();
    const followed = await rankBoard(later(1000), boardId, { rests: true });
    assert.equal(followed.kind === 'ranked' && followed.extent, 'affected');
    await sql`update repositories set name = 'app-2', is_private = true where id = ${world.repositoryIds[0]}`.execute(
      connection,
    );
    assert.deepEqual(await rankBoard(later(9000), boardId, { rests: true }), { kind: 'rests', ms: 60_000 });
    const rested = await rankBoard(later(70_000), boardId, { rests: true });
    assert.equal(rested.kind === 'ranked' && rested.extent, 'all');
  });
});

/** Ranks a board in a process that ends before its transaction does. */
async function rankAndExit(boardId: string, at: Date): Promise<void> {
  let calls = 0;
  const now = (): Date => {
    calls += 1;
    if (calls > 1) throw new Error('killed');
    return at;
  };
  await assert.rejects(rankBoard({ connection: opened.database.connection, now }, boardId), /killed/);
}
