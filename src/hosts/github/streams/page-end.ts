import type { ContributionPage } from '../../interface/provider.ts';

/**
 * Returns the end of a page of a list with its newest changes first: the cursor of the next page (null when this page
 * reaches back to known changes), the total, and the time of the oldest change.
 * @param oldestChange the time of the oldest change on the page; undefined when no item has a time.
 * @param since changes before this time are known.
 */
export function endOf(
  { totalCount, pageInfo }: { totalCount: number | null; pageInfo: { hasNextPage: boolean; endCursor: string | null } },
  oldestChange: string | undefined,
  since: Date | null,
  pageSize: number,
): Pick<ContributionPage, 'nextCursor' | 'total' | 'pageSize' | 'reachedAt'> {
  const isPast = since !== null && oldestChange !== undefined && new Date(oldestChange) < since;
  return {
    nextCursor: pageInfo.hasNextPage && !isPast ? pageInfo.endCursor : null,
    // GitHub's total counts all items, also when only the changes since a time are read.
    total: since === null ? totalCount : null,
    pageSize,
    reachedAt: oldestChange === undefined ? null : new Date(oldestChange),
  };
}
