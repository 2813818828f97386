/** Computes how often installed repositories are polled one by one. */

const hourMs = 3_600_000;

/** The limits of the interval of a repository, in ms: of one that has just changed, and of one without changes. */
export const pollLimitsMs = { shortest: 300_000, longest: 24 * hourMs };
/**
 * The wanted interval is this part of the time since the last change, so that each poll without a change is followed by
 * an interval that is half as long again.
 */
export const partOfAge = 1 / 3;

/** The repositories that are polled with the same quota. */
export interface PollLoad {
  repositories: number;
  /** The polls of all of them in an hour, if each had the interval that it wants. */
  wantedPerHour: number;
  /** The polls in an hour for which the quota may be used. */
  pollsPerHour: number;
}

/** Returns the interval, in ms, that a repository wants. @param ageMs the time since its last change; null: none is known. */
export function wantedIntervalMs(ageMs: number | null): number {
  const { shortest, longest } = pollLimitsMs;
  return ageMs === null ? longest : Math.min(Math.max(ageMs * partOfAge, shortest), longest);
}

/**
 * Returns the interval, in ms, that a repository gets. Each gets one poll in the longest interval, for which at most half
 * of the quota is used; the rest is divided in proportion to what the repositories want beyond that.
 */
export function pollIntervalMs(wantedMs: number, { repositories, wantedPerHour, pollsPerHour }: PollLoad): number {
  const least = Math.min(hourMs / pollLimitsMs.longest, pollsPerHour / 2 / repositories);
  const left = pollsPerHour - repositories * least;
  const excess = wantedPerHour - repositories * least;
  const share = excess <= left ? 1 : left / excess;
  return hourMs / (least + (hourMs / wantedMs - least) * share);
}
