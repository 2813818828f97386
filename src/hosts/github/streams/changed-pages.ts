/** The most items on a page of GitHub. */
export const perPage = 100;

/**
 * The position of a page in a list of GitHub's REST API, last changed last. It is a time of change, so that items that
 * are added, changed or deleted meanwhile never make the next page skip other items.
 */
export interface ChangePosition {
  /** The time of the oldest change to list; undefined: list everything. */
  from: string | undefined;
  /** The number of the page from that time on, because more items than fit on a page may have changed at that time. */
  page: number;
}

export function positionOf(cursor: string | null, since: Date | null): ChangePosition {
  if (cursor === null) return { from: since?.toISOString(), page: 1 };
  const [from, page] = cursor.split(' ');
  return { from, page: Number(page) };
}

export function queryAt({ from, page }: ChangePosition): URLSearchParams {
  const query = new URLSearchParams({ sort: 'updated', direction: 'asc', per_page: String(perPage) });
  if (from !== undefined) query.set('since', from);
  if (page > 1) query.set('page', String(page));
  return query;
}

/**
 * Returns the cursor of the page after the page at a position; null: it was the last one.
 * @param listed the length of the page, including unreadable items.
 */
export function cursorBehind(
  { from, page }: ChangePosition,
  items: readonly { updated_at: string | null }[],
  listed: number,
): string | null {
  if (listed < perPage) return null;
  const last = items.findLast(({ updated_at: at }) => at !== null)?.updated_at ?? from;
  if (last === undefined) return `${new Date(0).toISOString()} ${page + 1}`;
  return last === from ? `${last} ${page + 1}` : `${last} 1`;
}
