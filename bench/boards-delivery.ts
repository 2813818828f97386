import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../src/database/connections/connection.ts';
import { inTransaction } from '../src/database/connections/transaction.ts';
import { type AwardContext, awardRepository } from '../src/recognition/achievements/awards/award.ts';
import { AchievementFiles } from '../src/recognition/achievements/files/achievement-files.ts';
import type { Board } from '../src/recognition/boards/board.ts';
import { findBoards, saveBoards } from '../src/recognition/boards/board-store.ts';
import { rankBoard } from '../src/recognition/boards/ranking/rank-board.ts';
import { findPeople, findPresentRanking } from '../src/recognition/boards/views/view-store.ts';
import { saveAchievements, storeIssue } from './awarding.ts';
import type { BenchResult } from './bench-result.ts';
import { took } from './evaluation.ts';
import { median } from './load.ts';
import { sized } from './size.ts';

const events = sized(60, 2);
/** The time until everyone has to see a delivery, in ms. */
const visibleMs = 3000;

/**
 * Measures the ranking after one new issue, against the awards of the same issue with 50 achievements, and the time from
 * storing it to a page that shows it. Authors are chosen as often as they contribute.
 */
export async function measureDelivery(
  database: Database,
  { repositoryId, board }: { repositoryId: string; board: Board },
): Promise<BenchResult[]> {
  const { connection, pool } = database;
  const boardId = await prepare(database, { repositoryId, board });
  const context: AwardContext = {
    connection,
    now: () => new Date(),
    newId: uuidv7,
    achievementFiles: new AchievementFiles(),
  };
  await awardRepository(context, repositoryId);
  const { rows: authors } = await pool.query<{ account_id: string }>(
    `select account_id from contributions where mod(external_id::integer, $1) = 0 order by md5(external_id) limit $2`,
    [sized(1000, 7), events],
  );
  assert.equal(authors.length, events);
  const [ratios, ranking, shown]: [number[], number[], number[]] = [[], [], []];
  for (const [event, { account_id: author }] of authors.entries()) {
    const storing = await took(() =>
      storeIssue(database, repositoryId, author, event, new Date('2024-06-01T12:00:00Z')),
    );
    const rank = async (): Promise<number> =>
      took(async () => {
        const outcome = await rankBoard(context, boardId);
        assert.equal(outcome.kind === 'ranked' && outcome.extent, 'affected');
      });
    const award = (): Promise<number> => took(() => awardRepository(context, repositoryId));
    const [ranked, awarded] =
      event % 2 === 0 ? [await rank(), await award()] : [await award(), await rank()].toReversed();
    ratios.push((ranked ?? 0) / (awarded ?? 1));
    ranking.push(ranked ?? 0);
    const reading = await took(() => readPage(database, boardId, board));
    shown.push(storing + (ranked ?? 0) + reading);
  }
  const detail = `${Math.round(median(ranking))} ms`;
  return [
    {
      name: 'boards-delivery',
      ratio: median(ratios),
      goal: '<=2',
      baseline: 'the awards of the same issue',
      detail: `${detail} for an issue of one person of a board of 20 rules`,
    },
    {
      name: 'boards-visible',
      ratio: Math.max(...shown) / visibleMs,
      goal: '<=1',
      baseline: 'three seconds',
      detail: `${Math.round(Math.max(...shown))} ms at most from storing an issue to a page with it, without requests and the queue`,
    },
  ];
}

async function prepare(
  { connection, pool }: Database,
  { repositoryId, board }: { repositoryId: string; board: Board },
): Promise<string> {
  await pool.query('update repositories set installed_at = now(), collected_at = now() where id = $1', [repositoryId]);
  await pool.query(
    `insert into streams (repository_id, name, covers, known_until, completed_at, is_deep)
     values ($1, 'issues', '{issue}', now(), now(), true)`,
    [repositoryId],
  );
  await saveAchievements(connection, repositoryId);
  const { rows } = await pool.query<{ id: string; name: string }>(
    'select a.id, a.name from repositories r join accounts a on a.id = r.owner_id where r.id = $1',
    [repositoryId],
  );
  const [owner] = rows;
  assert.equal(owner?.name, 'person-1');
  await inTransaction(connection, (transaction) =>
    saveBoards(transaction, owner.id, [board], { now: new Date(), newId: uuidv7 }),
  );
  const [stored] = await findBoards(connection, owner.id);
  assert(stored);
  const outcome = await rankBoard({ connection, now: () => new Date() }, stored.id);
  assert.equal(outcome.kind, 'ranked');
  // Rankings of the first minute count everyone.
  await pool.query('update board_rankings set whole_until = null');
  await pool.query('vacuum analyze board_ranks');
  return stored.id;
}

async function readPage({ connection }: Database, boardId: string, board: Board): Promise<void> {
  const ranking = await findPresentRanking(connection, { id: boardId, ownerId: uuidv7(), board });
  assert(ranking);
  const people = await findPeople(
    connection,
    { boardId, version: ranking.version, board },
    { limit: 31, isOwner: false },
  );
  assert(people.length > 0);
}
