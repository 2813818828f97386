import { type Static, type TArray, Type } from 'typebox';
import type { Call } from '../call.ts';
import { invalid, readCursor } from './checks.ts';
import type { Asked, RestClient } from './client.ts';

/**
 * Lists that are cut into numbered pages, which move when something is added or removed while they are read. Read as here,
 * none of them ever passes anything by; some things are read twice.
 */

/** No list that is read at once has so many pages. */
const maxPages = 200;

/** One page, and what it tells of the whole list. */
export interface ListPage<Item> {
  items: readonly Item[];
  /** Length of the page, with items that cannot be read. */
  listed: number;
  /** Null: it does not say. */
  total: number | null;
  /** Number of the last page. */
  lastPage: number;
  /** When it was answered. */
  answeredAt: Date;
}

export interface List<Items extends TArray> {
  path: string;
  query?: Readonly<Record<string, string>>;
  items: Items;
  /** The host tells how much is on the page where it ought to tell how long the list is. */
  isTotalOfPage?: boolean;
}

type ItemOf<Items extends TArray> = Static<Items>[number];

/** @returns null when there is no such list. */
export async function readPage<Items extends TArray>(
  client: RestClient,
  { path, query = {}, items: schema, isTotalOfPage = false }: List<Items>,
  page: number,
  call: Call,
  asked: Asked = {},
): Promise<ListPage<ItemOf<Items>> | null> {
  const { pageSize, totalHeader } = client.dialect;
  const size = { [pageSize.parameter]: String(pageSize.most) };
  const parameters = new URLSearchParams({ ...size, ...query, page: String(page) });
  const answer = await client.get(`${path}?${parameters.toString()}`, Type.Union([schema, Type.Null()]), call, asked);
  if (answer === null) return null;
  const items: readonly ItemOf<Items>[] = answer.data ?? [];
  const total = isTotalOfPage ? null : numberIn(answer.headers[totalHeader]);
  return {
    items,
    listed: answer.listed,
    total,
    lastPage: lastPageOf(answer.headers['link'], { page, total, length: answer.listed }),
    answeredAt: dateIn(answer.headers['date']),
  };
}

/** Everything on a list that is short. */
export async function readAll<Items extends TArray>(
  client: RestClient,
  list: List<Items>,
  call: Call,
): Promise<ItemOf<Items>[] | null> {
  const items: ItemOf<Items>[] = [];
  let seen = 0;
  for (let page = 1; page <= maxPages; page += 1) {
    const read = await readPage(client, list, page, call);
    if (read === null) return page === 1 ? null : items;
    items.push(...read.items);
    seen += read.listed;
    if (page >= read.lastPage || (read.total !== null && seen >= read.total)) return items;
  }
  throw invalid(`${list.path} goes on without an end`);
}

const Place = Type.Object({
  page: Type.Integer({ minimum: 1 }),
  /** How long the list was, and how much was on its first page. */
  total: Type.Integer({ minimum: 0 }),
  size: Type.Integer({ minimum: 1 }),
  /** Of a list of changes: those after this time are left to the next reading. */
  before: Type.Union([Type.String(), Type.Null()]),
});
type Place = Static<typeof Place>;

/** A page on the way through a list that is read over days and restarts. */
export interface Step<Item> {
  items: readonly Item[];
  total: number | null;
  nextCursor: string | null;
}

/** Which items of a list are wanted. */
export interface Wanted {
  cursor: string | null;
  /** Only what changed then or later; null: everything. */
  since: Date | null;
}

/**
 * Goes through a list whose newest comes first: what is added moves the rest back, where it is read twice. What is removed
 * moves it forward, past the reader; then the list is shorter than before by at most as much as moved, and the reader goes
 * back by so much. (Of a list that does not tell how long it is, nothing tells of that.)
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
 * Goes through a list whose oldest comes first: from its last page back to its first one, so that what is added is behind the
 * reader, and what is removed moves nothing past it. Page 1 is read at the beginning too, for it tells how many there are.
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

function placeAfter({ total, listed, answeredAt }: ListPage<unknown>, place: Place | null, since: Date | null): Place {
  return {
    page: 1,
    total: total ?? place?.total ?? 0,
    size: place?.size ?? Math.max(1, listed),
    before: since === null ? null : (place?.before ?? toSeconds(answeredAt)),
  };
}

/** What changes while a list of changes is read leaves it, so that nothing ever enters where the reader was already. */
function bounded<Items extends TArray>(list: List<Items>, since: Date | null, place: Place | null): List<Items> {
  if (since === null) return list;
  const before = place?.before ?? null;
  return { ...list, query: { ...list.query, since: toSeconds(since), ...(before !== null && { before }) } };
}

/** Pages may be shorter than what they are cut to, for what may not be seen is left out: their length is no end. */
function lastPageOf(
  link: string | string[] | undefined,
  { page, total, length }: { page: number; total: number | null; length: number },
): number {
  const links = Array.isArray(link) ? link.join(',') : (link ?? '');
  const [, last] = /[?&]page=(\d{1,9})[^>]*>; rel="last"/.exec(links) ?? [];
  if (last !== undefined) return Number(last);
  // Lists that are very long do not tell their end.
  if (links.includes('rel="next"')) return page + 1;
  if (links !== '' || length === 0) return page;
  // Not all lists have links. Then the first page, to which the others are cut too, tells how many there are.
  return page === 1 && total !== null ? Math.max(1, Math.ceil(total / length)) : page + 1;
}

export function toSeconds(time: Date): string {
  return time.toISOString().replace(/\.\d{3}Z$/, 'Z');
}

function numberIn(header: string | string[] | undefined): number | null {
  return typeof header === 'string' && /^\d{1,12}$/.test(header) ? Number(header) : null;
}

function dateIn(header: string | string[] | undefined): Date {
  const time = Date.parse(typeof header === 'string' ? header : '');
  if (Number.isNaN(time)) throw invalid('it does not say when it was given');
  return new Date(time);
}
