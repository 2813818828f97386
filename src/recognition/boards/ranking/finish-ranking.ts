import type { Connection } from '../../../database/connections/connection.ts';
import { inTransaction } from '../../../database/connections/transaction.ts';
import { announce } from '../../../database/queue/announcements.ts';
import { takeSharedErasureLock } from '../../../database/schema/erasure-lock.ts';
import { findAnyBoard } from '../board-store.ts';
import { saveMembers } from './member-store.ts';
import { saveNextPart } from './rank-store.ts';
import { findNextRanking, presentNextRanking } from './state-store.ts';
import { recordLeaders } from './version-store.ts';

/**
 * The time, in ms, after which all transactions have ended that began before a new repository of a board was stored.
 * They note no changes for that board, so all people are counted until then.
 */
const settlingMs = 60_000;

/**
 * Stores the rows of a ranking of all people, some in each transaction. Readers see the ranking before until the last
 * transaction. A process that is killed leaves the rest to the next ranking of the board.
 */
export async function finishRanking(
  { connection, now }: { connection: Connection; now: () => Date },
  boardId: string,
): Promise<void> {
  let state: 'more' | 'done' = 'more';
  while (state === 'more') {
    state = await inTransaction(connection, async (transaction) => {
      await takeSharedErasureLock(transaction);
      return storeNext(transaction, boardId, now());
    });
  }
}

async function storeNext(transaction: Connection, boardId: string, now: Date): Promise<'more' | 'done'> {
  const stored = await findAnyBoard(transaction, boardId);
  const next = stored && (await findNextRanking(transaction, boardId));
  if (stored === undefined || next === undefined) return 'done';
  const { version, formerVersion, builtAt, repositoryIds } = next;
  if ((await saveNextPart(transaction, { boardId, version, at: now })) === 'more') return 'more';
  if (repositoryIds !== null) await saveMembers(transaction, boardId, repositoryIds);
  const wholeUntil = repositoryIds === null ? null : new Date(now.getTime() + settlingMs);
  await presentNextRanking(transaction, boardId, wholeUntil);
  if (version > formerVersion) await recordLeaders(transaction, { boardId, version, board: stored.board }, builtAt);
  await announce(transaction, { kind: 'account', key: stored.ownerId });
  return 'done';
}
