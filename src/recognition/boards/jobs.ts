import type { Job } from '../../database/queue/added-jobs.ts';

/**
 * After a ranking, a board rests for this multiple of the time that the ranking took, so that the rankings of one board
 * take about a tenth of a worker's time at most. A rest of at most a minute keeps large boards current.
 */
const restFactor = 10;
const maxRestMs = 60_000;
/** Rankings that take less than this time start at once. */
const quickMs = 100;

/**
 * Returns the time, in ms, for which a board still has to rest from a ranking.
 * @param costMs the time that the ranking took.
 * @param msAgo the time since it began; null: there was none.
 */
export function restAfter(costMs: number, msAgo: number | null): number {
  if (costMs < quickMs || msAgo === null) return 0;
  const restMs = Math.min(maxRestMs, costMs * restFactor);
  return Math.min(restMs, Math.max(0, costMs + restMs - msAgo));
}

/** Returns the job that ranks the people of a board: at once, or as soon as the board has rested. */
export function rankBoardJob({ id, costMs, rankedMsAgo }: RankedBoard): Job {
  const job = { task: 'rank_board', payload: { boardId: id }, key: `rank_board ${id}`, priority: 30 };
  const delayMs = restAfter(costMs, rankedMsAgo);
  return delayMs === 0 ? job : { ...job, delayMs, keepsRunAt: true };
}

export interface RankedBoard {
  id: string;
  /** The time that the last ranking of affected people took. */
  costMs: number;
  rankedMsAgo: number | null;
}

/** Returns the job that counts all people of a board after a rest. */
export function rankLaterJob(id: string, delayMs: number): Job {
  return { task: 'rank_board', payload: { boardId: id }, key: `rank_board ${id}`, priority: 30, delayMs };
}

/** Looks up accounts that boards name and that are not stored. */
export const lookUpNamedPeopleJob: Job = {
  task: 'look_up_named_people',
  payload: {},
  key: 'look_up_named_people',
  priority: 40,
};

/** Reads the members of the teams of hosts that boards name. */
export const readTeamsJob: Job = { task: 'read_teams', payload: {}, key: 'read_teams', priority: 40 };
