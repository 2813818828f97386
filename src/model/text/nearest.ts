/** Longer names are not compared, because typing errors occur in single words. */
const maxLength = 64;
/** The number of letters in which one wrong letter counts as a typing error. */
const lettersPerSlip = 3;
const maxSlips = 3;

/** Returns the candidate that the author of `name` probably meant; undefined when none is close. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > maxLength) return undefined;
  const written = fold(name);
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    if (candidate.length > maxLength) continue;
    const allowed = Math.min(
      maxSlips,
      Math.max(1, Math.floor(Math.max(name.length, candidate.length) / lettersPerSlip)),
    );
    const folded = fold(candidate);
    // Each letter that one of the two lacks is a slip; counting all of them takes much longer.
    if (Math.abs(written.length - folded.length) > allowed) continue;
    const distance = distanceBetween(written, folded, best === undefined ? allowed : Math.min(allowed, best.distance));
    if (distance <= allowed && (best === undefined || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** Removes the differences between `created-at`, `createdAt`, `Created At` and `created_at`. */
function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[-_\s]/g, '');
}

/**
 * Counts the letters to insert, remove, replace or swap with their neighbour (optimal string alignment).
 * @param most a greater distance is not counted to its end, because most names resemble nothing: then the result is greater
 * than this, or infinite.
 */
export function distanceBetween(one: string, other: string, most = Number.POSITIVE_INFINITY): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  let leastOfLast = 0;
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      let cost = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (isSame ? 0 : 1));
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (row > 1 && column > 1 && isSwapped) cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      current.push(cost);
      least = Math.min(least, cost);
    }
    // Later rows begin from this one, or from the last one with a swap.
    if (least > most && leastOfLast >= most) return Number.POSITIVE_INFINITY;
    [beforeLast, last, leastOfLast] = [last, current, least];
  }
  return at(last, other.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
