/**
 * Returns where a list that shows its newest changes first goes on.
 * @param oldestChange of what is on the page. @param since changes before it are known.
 */
export function endOf(
  { totalCount, pageInfo }: { totalCount: number | null; pageInfo: { hasNextPage: boolean; endCursor: string | null } },
  oldestChange: string | undefined,
  since: Date | null,
  pageSize: number,
): { nextCursor: string | null; total: number | null; pageSize: number } {
  const isPast = since !== null && oldestChange !== undefined && new Date(oldestChange) < since;
  return {
    nextCursor: pageInfo.hasNextPage && !isPast ? pageInfo.endCursor : null,
    // The count is of everything, also where only changes are read.
    total: since === null ? totalCount : null,
    pageSize,
  };
}
