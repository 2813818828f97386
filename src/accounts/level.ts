/** The experience at which level 2 begins; each level is wider than the one before. */
const unit = 100;

/**
 * Returns the level of an experience: 0 for none, then 1 from the first contribution, 2 from 100, 3 from 400, 4 from
 * 900.
 */
export function levelOf(experience: number): number {
  return experience <= 0 ? 0 : Math.floor(Math.sqrt(experience / unit)) + 1;
}
