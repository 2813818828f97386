import assert from 'node:assert/strict';
import { sql } from 'kysely';
import type { Database } from '../src/database/connections/connection.ts';
import { readConfigFile } from '../src/recognition/achievements/config-file.ts';
import type { Board } from '../src/recognition/boards/board.ts';
import { toBoardWindow } from '../src/recognition/boards/board-window.ts';
import { readBoardsFile } from '../src/recognition/boards/file/read-file.ts';
import { rankedSql } from '../src/recognition/boards/ranking/rank-store.ts';
import { withEvaluationMemory } from '../src/recognition/rules/evaluation/evaluate-store.ts';
import type { BenchResult } from './bench-result.ts';
import { makeDataDir } from './bench-service.ts';
import { measureDelivery } from './boards-delivery.ts';
import { countEarned, fileOfFifty, fill, took } from './evaluation.ts';
import { median } from './load.ts';
import { listMembers } from './members-of.ts';
import { sized } from './size.ts';

const rounds = sized(5, 1);

/** Measures the ranking of a board of twenty rules, against the evaluation of fifty achievements of the same people. */
export async function run(): Promise<BenchResult[]> {
  await using place = await makeDataDir();
  const { database } = place;
  const repositoryId = await fill(database);
  const { config } = readConfigFile(Buffer.from(fileOfFifty()));
  const board = boardOfTwenty();
  const [ratios, ours]: [number[], number[]] = [[], []];
  let people = 0;
  for (let round = 0; round < rounds; round += 1) {
    const ranking = await took(async () => {
      people = await countRanked(database, repositoryId, board);
    });
    const evaluating = await took(() => countEarned(database, repositoryId, config));
    assert(people > 0);
    ratios.push(ranking / evaluating);
    ours.push(ranking);
  }
  return [
    ...(await measureDelivery(database, { repositoryId, board })),
    {
      name: 'boards',
      ratio: median(ratios),
      goal: '<=2',
      baseline: 'the evaluation of 50 achievements of the same repository',
      detail: `${Math.round(median(ours))} ms for 20 rules, ${people.toLocaleString('en')} people`,
    },
  ];
}

/** Ranks people without storing the ranking. */
async function countRanked({ connection }: Database, repositoryId: string, board: Board): Promise<number> {
  const now = new Date();
  const query = rankedSql({
    board,
    window: toBoardWindow(board.window, now),
    members: listMembers(repositoryId, now),
    now,
  });
  const { rows } = await withEvaluationMemory(connection, (transaction) =>
    // All columns count: PostgreSQL would leave out parts of the statement of which none is read.
    sql<{ people: number }>`select count(ranked) as people from (${query}) as ranked`.execute(transaction),
  );
  return rows[0]?.people ?? 0;
}

/** Returns a board like real ones: half of its rules have a cap or decay. */
export function boardOfTwenty(): Board {
  const labels = ['bug', 'enhancement', 'documentation', 'desktop', 'help wanted'];
  const rules = [
    { action: 'pull_request', condition: 'merged = true', at: 'merged', points: 5, per_day: 20 },
    { action: 'pull_request', condition: 'merged = true & additions > 500', points: 3 },
    { action: 'pull_request', condition: 'age(days) < 2', points: 2, decay: 0.5 },
    { action: 'pull_request', condition: 'count(merged = true) >= 10', points: 50 },
    { actor: 'reviewer', action: 'pull_request', condition: 'merged = true', points: 3, per_day: 9 },
    { actor: 'resolved_by', action: 'issue', condition: 'reason = COMPLETED', points: 2 },
    { action: 'issue', points: 1, per_day: 3 },
    { action: 'review', points: 2, decay: 0.5 },
    { action: 'issue_comment', points: 1, per_day: 5 },
    { action: 'pull_request_comment', points: 1, per_day: 5 },
    ...labels.map((label) => ({ action: 'issue', condition: `labels in ['${label}'] & closed = true`, points: 2 })),
    ...labels.map((label) => ({
      action: 'pull_request',
      condition: `labels in ['${label}'] & merged = true`,
      points: 4,
      per_day: 8,
    })),
  ];
  const fields = {
    name: 'Bench',
    slug: 'bench',
    repositories: ['person-1/bench'],
    window: { since: '2024-01-01', until: '2024-12-31', time_zone: 'Europe/Berlin' },
    points: rules,
    spam_labels: ['spam'],
  };
  const file = JSON.stringify({ version: 1, boards: [{ board: fields }] });
  const {
    boards: [board],
    reports,
  } = readBoardsFile(Buffer.from(file), { provider: 'github' });
  if (board?.rules.length !== 20) throw new Error(`the file has faults: ${JSON.stringify(reports)}`);
  return board;
}
