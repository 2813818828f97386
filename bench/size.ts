/** The option `--smallest` of `npm run -s bench` selects the smallest size of each claim. */
export const isSmallest = process.argv.includes('--smallest');

/**
 * Returns the size of a measurement.
 * @param smallest a size at which all code of the claim still runs, but the ratio means nothing.
 */
export function sized<const Full, const Smallest>(full: Full, smallest: Smallest): Full | Smallest {
  return isSmallest ? smallest : full;
}
