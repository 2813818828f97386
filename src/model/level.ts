/** The experience at which level 2 begins; each level is wider than the one before. */
const unit = 100;

/**
 * Returns the level of an experience: 0 for none, then 1 from the first contribution, 2 from 100, 3 from 400, 4 from
 * 900.
 */
export function toLevel(experience: number): number {
  return experience <= 0 ? 0 : Math.floor(Math.sqrt(experience / unit)) + 1;
}

/** The progress from one level to the next. */
export interface LevelProgress {
  /** The done share of the experience between the two levels, from 0 to 1. */
  share: number;
  /** The experience that is still needed. */
  left: number;
  /** The next level. */
  next: number;
}

/**
 * Returns the progress to the next level. Level 1 begins with the first contribution, level n + 1 at 100·n². Without
 * any contribution, `next` is 1, but `share` and `left` are those of level 1, of which 100 are left.
 */
export function toLevelProgress(experience: number): LevelProgress {
  const next = toLevel(experience) + 1;
  const level = Math.max(1, next - 1);
  const from = unit * (level - 1) ** 2;
  const to = unit * level ** 2;
  return {
    share: Math.min(1, Math.max(0, (experience - from) / (to - from))),
    left: Math.max(0, to - experience),
    next,
  };
}
