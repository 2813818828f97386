import { withEvaluationMemory } from '../../achievements/evaluation/evaluate-store.ts';
import { announce } from '../../database/announcements.ts';
import type { Connection } from '../../database/connection.ts';
import { findBoardById } from '../board-store.ts';
import { windowOf } from '../windows.ts';
import { findMembers, saveMembers } from './member-store.ts';
import { saveRanking, showRanking } from './rank-store.ts';

export interface RankContext {
  connection: Connection;
  now: () => Date;
}

/**
 * Ranks the people of a board by the stored contributions, and stores the ranking where it differs from the last one.
 * One transaction; running it twice at once is harmless, because it locks the board.
 * @returns false when there is no such board any more.
 */
export async function rankBoard({ connection, now }: RankContext, boardId: string): Promise<boolean> {
  return withEvaluationMemory(connection, async (transaction) => {
    const found = await findBoardById(transaction, boardId);
    if (found === undefined) return false;
    const { board, ownerId } = found;
    const startedAt = now();
    const members = await findMembers(transaction, board, ownerId);
    await saveMembers(transaction, boardId, members.ids);
    const window = windowOf(board.window, startedAt);
    const { isChanged, rankingId } = await saveRanking(transaction, {
      boardId,
      board,
      window,
      members,
      now: startedAt,
    });
    const costMs = now().getTime() - startedAt.getTime();
    if (isChanged) await showRanking(transaction, { boardId, rankingId, now: startedAt, costMs });
    await announce(transaction, { kind: 'account', key: ownerId });
    return true;
  });
}
