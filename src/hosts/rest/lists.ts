import { type Static, type TArray, Type } from 'typebox';
import type { Call } from '../interface/call.ts';
import { numberIn } from '../transport/limits.ts';
import { invalid, readCursor } from './checks.ts';
import type { RequestOptions, RestClient } from './client.ts';

/**
 * Reads lists in numbered pages. Items move from page to page when others are added or removed during the reading; the
 * functions here miss no item, and read some twice.
 */

/** More than any list has that is read as a whole. */
const maxPages = 200;

/** One page, with the facts about the whole list that its response states. */
interface ListPage<Item> {
  items: readonly Item[];
  /** Length of the page, including items that cannot be read. */
  listed: number;
  /** Length of the list; null: the host does not state it. */
  total: number | null;
  /** Number of the last page. */
  lastPage: number;
  /** The time of the response, by the host's clock. */
  respondedAt: Date;
}

export interface List<Items extends TArray> {
  path: string;
  query?: Readonly<Record<string, string>>;
  items: Items;
  /** True when the host sends the length of the page in the header for the length of the list. */
  isTotalOfPage?: boolean;
}

type ItemOf<Items extends TArray> = Static<Items>[number];

/** @returns null when there is no such list. */
export async function readPage<Items extends TArray>(
  client: RestClient,
  { path, query = {}, items: schema, isTotalOfPage = false }: List<Items>,
  page: number,
  call: Call,
  options: RequestOptions = {},
): Promise<ListPage<ItemOf<Items>> | null> {
  const { pageSize, totalHeader } = client.dialect;
  const size = { [pageSize.parameter]: String(pageSize.most) };
  const parameters = new URLSearchParams({ ...size, ...query, page: String(page) });
  const response = await client.get(
    `${path}?${parameters.toString()}`,
    Type.Union([schema, Type.Null()]),
    call,
    options,
  );
  if (response === null) return null;
  const items: readonly ItemOf<Items>[] = response.data ?? [];
  const count = numberIn(response.headers[totalHeader]) ?? null;
  // Gitea sends null for some empty lists (a nil slice of Go), but only for those.
  if (response.data === null && page === 1 && count !== null && count > 0) throw invalid(`${path} has no items`);
  const total = isTotalOfPage ? null : count;
  return {
    items,
    listed: response.listed,
    total,
    lastPage: readLastPage(response.headers['link'], { page, total, length: response.listed }),
    respondedAt: dateIn(response.headers['date']),
  };
}

/** Reads all items of a short list. @returns null when there is no such list. */
export async function readAll<Items extends TArray>(
  client: RestClient,
  list: List<Items>,
  call: Call,
): Promise<ItemOf<Items>[] | null> {
  const items: ItemOf<Items>[] = [];
  let seen = 0;
  for (let page = 1; page <= maxPages; page += 1) {
    const read = await readPage(client, list, page, call);
    if (read === null && page === 1) return null;
    if (read === null) throw invalid(`${list.path} ends before its last page`);
    items.push(...read.items);
    seen += read.listed;
    if (page >= read.lastPage || (read.total !== null && seen >= read.total)) return items;
  }
  throw invalid(`${list.path} goes on without an end`);
}

const Place = Type.Object({
  page: Type.Integer({ minimum: 1 }),
  /** Length of the list at the last page that was read. */
  total: Type.Integer({ minimum: 0 }),
  /** Length of the first page. */
  size: Type.Integer({ minimum: 1 }),
  /** In a list of changes, the time after which changes are left to the next reading. */
  before: Type.Union([Type.String(), Type.Null()]),
});
type Place = Static<typeof Place>;

/** One page of a list whose reading may take days and survives restarts. */
export interface Step<Item> {
  items: readonly Item[];
  total: number | null;
  nextCursor: string | null;
}

/** The part of a list to read. */
export interface Wanted {
  cursor: string | null;
  /** Limits the list to items that changed then or later; null: all items. */
  since: Date | null;
}

/**
 * Reads the next page of a list whose newest items come first. An added item moves the others back, so that some are
 * read twice. A removed item moves others forward, past the reader; when the list is shorter than before, the reader
 * goes back by the difference. (In a list whose length the host does not state, removals go unnoticed.)
 */
export async function stepForward<Items extends TArray>(
  client: RestClient,
  list: List<Items>,
  { cursor, since }: Wanted,
  call: Call,
): Promise<Step<ItemOf<Items>> | null> {
  const place = cursor === null ? null : readCursor(Place, cursor);
  const page = place?.page ?? 1;
  const read = await readPage(client, bounded(list, since, place), page, call);
  if (read === null) return null;
  const { items, lastPage, total } = read;
  const next: Place = placeAfter(read, place, since);
  const lost = Math.max(0, (place?.total ?? 0) - next.total);
  const nextPage = page - Math.ceil(lost / next.size) + (lost > 0 ? 0 : 1);
  const isEnd = lost === 0 && page >= lastPage;
  return { items, total, nextCursor: isEnd ? null : JSON.stringify({ ...next, page: Math.max(1, nextPage) }) };
}

/**
 * Reads a list whose oldest items come first from its last page back to its first one. Added items are then behind the
 * reader, and removed ones move none past it. Page 1 is read at the beginning, too, because it states the number of
 * pages.
 */
export async function stepFromOldest<Items extends TArray>(
  client: RestClient,
  list: List<Items>,
  { cursor, since }: Wanted,
  call: Call,
): Promise<Step<ItemOf<Items>> | null> {
  const place = cursor === null ? null : readCursor(Place, cursor);
  const read = await readPage(client, bounded(list, since, place), place?.page ?? 1, call);
  if (read === null) return null;
  const { items, lastPage, total } = read;
  const nextPage = place === null ? lastPage : place.page - 1;
  const isEnd = place === null ? lastPage <= 1 : nextPage < 1;
  const next = placeAfter(read, place, since);
  return { items, total, nextCursor: isEnd ? null : JSON.stringify({ ...next, page: nextPage }) };
}

function placeAfter({ total, listed, respondedAt }: ListPage<unknown>, place: Place | null, since: Date | null): Place {
  return {
    page: 1,
    total: total ?? place?.total ?? 0,
    size: place?.size ?? Math.max(1, listed),
    before: since === null ? null : (place?.before ?? toSeconds(respondedAt)),
  };
}

/**
 * Bounds a list of changes by time. An item that changes during the reading leaves the list and enters no page already
 * read.
 */
function bounded<Items extends TArray>(list: List<Items>, since: Date | null, place: Place | null): List<Items> {
  if (since === null) return list;
  const before = place?.before ?? null;
  return { ...list, query: { ...list.query, since: toSeconds(since), ...(before !== null && { before }) } };
}

/**
 * Returns the number of the last page. A short page is not the last one: hosts leave out items that the token may not
 * see.
 */
function readLastPage(
  link: string | string[] | undefined,
  { page, total, length }: { page: number; total: number | null; length: number },
): number {
  const links = Array.isArray(link) ? link.join(',') : (link ?? '');
  const [, last] = /[?&]page=(\d{1,9})[^>]*>; rel="last"/.exec(links) ?? [];
  if (last !== undefined) return Number(last);
  // Responses of very long lists have no link to the last page.
  if (links.includes('rel="next"')) return page + 1;
  if (links !== '' || length === 0) return page;
  // Lists without links: the other pages have the length of the first one, which gives their number.
  return page === 1 && total !== null ? Math.max(1, Math.ceil(total / length)) : page + 1;
}

export function toSeconds(time: Date): string {
  return time.toISOString().replace(/\.\d{3}Z$/, 'Z');
}

function dateIn(header: string | string[] | undefined): Date {
  const time = Date.parse(typeof header === 'string' ? header : '');
  if (Number.isNaN(time)) throw invalid('it does not say when it was given');
  return new Date(time);
}
