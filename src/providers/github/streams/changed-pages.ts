/**
 * Reading lists of GitHub's REST API, last changed last. The cursor is the time of the last change on a page, so that
 * items that are added, changed or deleted meanwhile never make the next page skip other items.
 */

/** The largest page of GitHub. */
export const perPage = 100;

export interface Place {
  /** The time of the oldest change to list; undefined: list everything. */
  from: string | undefined;
  /** The number of the page from that time on, because more items than a page holds may have changed at one time. */
  page: number;
}

export function placeOf(cursor: string | null, since: Date | null): Place {
  if (cursor === null) return { from: since?.toISOString(), page: 1 };
  const [from, page] = cursor.split(' ');
  return { from, page: Number(page) };
}

export function queryAt({ from, page }: Place): URLSearchParams {
  const query = new URLSearchParams({ sort: 'updated', direction: 'asc', per_page: String(perPage) });
  if (from !== undefined) query.set('since', from);
  if (page > 1) query.set('page', String(page));
  return query;
}

/**
 * Returns the cursor of the page after a page; null: it was the last one.
 * @param listed the length of the page, including unreadable items.
 */
export function cursorBehind(
  { from, page }: Place,
  items: readonly { updated_at: string | null }[],
  listed: number,
): string | null {
  if (listed < perPage) return null;
  const last = items.findLast(({ updated_at: at }) => at !== null)?.updated_at ?? from;
  if (last === undefined) return `${new Date(0).toISOString()} ${page + 1}`;
  return last === from ? `${last} ${page + 1}` : `${last} 1`;
}
