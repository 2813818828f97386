/**
 * Lists of GitHub's REST interface, last changed last, with the time of the last change that was read as the cursor: so
 * that what comes, changes or goes meanwhile makes no page skip anything.
 */

/** GitHub lists no more at once. */
export const perPage = 100;

export interface Place {
  /** Only what changed then or later; undefined: everything. */
  from: string | undefined;
  /** More than a page may have changed at one moment: only its number leads on. */
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
 * Returns the place behind a page; null: it was the last one.
 * @param listed length of the page with items that cannot be read.
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
