import type { Job } from '../database/queue.ts';

/** A ranking may take this share of the time of a worker: after one that took long, the next one waits. */
const restFactor = 10;
const maxRestMs = 60_000;
/** Rankings that take less than this time start at once. */
const quickMs = 100;

/**
 * Returns the job that ranks the people of a board: at once, or as soon as the board has rested.
 * @param board.rankedMsAgo the time since its last ranking began; null: it has none.
 */
export function rankBoardJob({ id, costMs, rankedMsAgo }: RankedBoard): Job {
  const job = { task: 'rank_board', payload: { boardId: id }, key: `rank_board ${id}`, priority: 30 };
  if (costMs < quickMs || rankedMsAgo === null) return job;
  const restMs = Math.min(maxRestMs, costMs * restFactor);
  return { ...job, delayMs: Math.min(restMs, Math.max(0, costMs + restMs - rankedMsAgo)), keepsRunAt: true };
}

export interface RankedBoard {
  id: string;
  /** The time that the last ranking took. */
  costMs: number;
  rankedMsAgo: number | null;
}

/** Reads the members of the teams of hosts that boards name. */
export const readTeamsJob: Job = { task: 'read_teams', payload: {}, key: 'read_teams', priority: 40 };
