import type { Job } from '../database/queue.ts';

/** A ranking may take this share of the time of a worker: after one that took long, the next one waits. */
const restFactor = 10;
const maxRestMs = 60_000;
/** Rankings that take less than this time start at once. */
const quickMs = 100;

/** Returns the job that ranks the people of a board. */
export function rankBoardJob({ id, costMs }: { id: string; costMs: number }): Job {
  const job = { task: 'rank_board', payload: { boardId: id }, key: `rank_board ${id}`, priority: 30 };
  if (costMs < quickMs) return job;
  return { ...job, delayMs: Math.min(maxRestMs, costMs * restFactor), keepsRunAt: true };
}

/** Reads the members of the teams of hosts that boards name. */
export const readTeamsJob: Job = { task: 'read_teams', payload: {}, key: 'read_teams', priority: 40 };
