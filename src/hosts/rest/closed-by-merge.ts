/** The longest time, in ms, between the merge of a pull request and the closing of an issue by it. */
const closedByMergeWithinMs = 300_000;

/** Returns whether the merge of a pull request may have closed an issue. */
export function isClosedByMerge(closedAt: string, mergedAt: string | null): boolean {
  if (mergedAt === null) return false;
  const agoMs = Date.parse(closedAt) - Date.parse(mergedAt);
  return agoMs >= 0 && agoMs <= closedByMergeWithinMs;
}
