import { type Static, type TArray, Type } from 'typebox';
import type { Call } from '../interface/call.ts';
import { readCursor } from '../rest/checks.ts';
import type { RestClient } from '../rest/client.ts';
import { type List, readPage, type Step, toSeconds, type Wanted } from '../rest/lists.ts';

const Place = Type.Object({
  /** The page holds items that were created, or changed, at this time or later. */
  after: Type.Union([Type.String(), Type.Null()]),
  /** Number of the page after that time. It is above 1 only where a whole page of items has the same time. */
  page: Type.Integer({ minimum: 1 }),
  /** In a list of changes, the time after which changes are left to the next reading. */
  before: Type.Union([Type.String(), Type.Null()]),
  /** Length of the list when its reading began. */
  total: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
});
type Place = Static<typeof Place>;

interface Dated {
  created_at: string;
  updated_at: string | null;
}

/**
 * Reads the next page of issues or merge requests by the time of their creation or, in a list of changes, of their last
 * change: each page begins at the time at which the last one ended. Added items come later, and removed ones move no
 * others, so no item is missed. The length of the list, which GitLab does not report above 10,000, is not needed.
 */
export async function stepByTime<Items extends TArray>(
  client: RestClient,
  list: List<Items>,
  datesOf: (item: Static<Items>[number]) => Dated,
  { cursor, since }: Wanted,
  call: Call,
): Promise<Step<Static<Items>[number]> | null> {
  const place = cursor === null ? null : readCursor(Place, cursor);
  const by = since === null ? 'created' : 'updated';
  const after = place?.after ?? since?.toISOString() ?? null;
  const query = {
    ...list.query,
    order_by: `${by}_at`,
    sort: 'asc',
    ...(after !== null && { [`${by}_after`]: after }),
    ...(place !== null && place.before !== null && { [`${by}_before`]: place.before }),
  };
  const read = await readPage(client, { ...list, query }, place?.page ?? 1, call);
  if (read === null) return null;
  const { items } = read;
  const last = items.map((item) => datesOf(item)[`${by}_at`]).findLast((at) => at !== null);
  const hasMoved = last !== undefined && (after === null || Date.parse(last) > Date.parse(after));
  const next: Place = {
    // An instance may send times with the offset of its own time zone.
    after: hasMoved ? new Date(last).toISOString() : after,
    page: hasMoved ? 1 : (place?.page ?? 1) + 1,
    before: since === null ? null : (place?.before ?? toSeconds(read.respondedAt)),
    total: place === null ? read.total : place.total,
  };
  const isEnd = read.lastPage <= (place?.page ?? 1);
  return { items, total: next.total, nextCursor: isEnd ? null : JSON.stringify(next) };
}
