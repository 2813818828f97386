import { type Static, type TArray, Type } from 'typebox';
import type { Call } from '../interface/call.ts';
import { unlessDenied } from '../interface/denied.ts';
import type { ListlessChange, OwnerChanges } from '../interface/polls.ts';
import { readCursor } from './checks.ts';
import type { RestClient } from './client.ts';
import { type List, readPage } from './lists.ts';
import { hasTokens, tokenCalls } from './views.ts';

/** Reads lists of the items that changed since a time. They are polled and mostly short. */

const Position = Type.Object({
  /** A time by the host's clock. */
  since: Type.String(),
  /** Keys of the items that changed at `since` or later and have been read. */
  seen: Type.Array(Type.String()),
});

/** The host may store an item a moment after the time of change that the item has. */
const overlapMs = 10_000;
const firstReachMs = 3_600_000;
/** Where a list of changes has more pages, everything counts as changed. */
const maxPages = 10;

/** An item that changed, and the change that it stands for. */
export interface ChangedItem extends ListlessChange {
  id: string;
  updatedAt: string;
}

/** A list of items that changed. */
interface ChangeList<Items extends TArray> extends List<Items> {
  toItem: (item: Static<Items>[number]) => ChangedItem;
}

/** Items that changed, or `too_many`, and the time of the host's response. */
export interface Changed {
  items: ChangedItem[] | 'too_many';
  respondedAt: Date;
}

/**
 * Reads the changes since the last call, each state of an item once.
 * @param read reads the items that changed at a time or later.
 * @param everything the changes to report when there are too many to read.
 */
export async function changesSince(
  client: RestClient,
  position: string | null,
  read: (since: Date) => Promise<Changed>,
  everything: readonly ListlessChange[],
): Promise<OwnerChanges> {
  const known = position === null ? undefined : readCursor(Position, position);
  const since = known === undefined ? new Date(client.now().getTime() - firstReachMs) : new Date(known.since);
  const { items, respondedAt } = await read(since);
  const nextSince = new Date(Math.max(since.getTime(), respondedAt.getTime() - overlapMs));
  const seen = new Set(known?.seen);
  const all = items === 'too_many' ? [] : items;
  const recent = all.filter(({ updatedAt }) => Date.parse(updatedAt) >= nextSince.getTime());
  return {
    changes: items === 'too_many' ? [...everything] : merged(all.filter((item) => !seen.has(toKey(item)))),
    position: JSON.stringify({ since: nextSince.toISOString(), seen: recent.map(toKey) }),
  };
}

/**
 * Reads all pages of lists of changes with each token, which shows public repositories, too. Lists that are absent, or
 * that the host denies, are left out.
 */
export async function readChangedWithTokens<Items extends TArray>(
  client: RestClient,
  lists: readonly ChangeList<Items>[],
  call: Call,
): Promise<Changed> {
  const found: (Changed | null)[] = [];
  for (const view of hasTokens(client) ? tokenCalls(client, call) : [call]) {
    for (const list of lists) found.push(await readPages(client, list, view).catch(unlessDenied(null)));
  }
  return joined(found, client.now());
}

async function readPages<Items extends TArray>(
  client: RestClient,
  list: ChangeList<Items>,
  call: Call,
): Promise<Changed | null> {
  const items: ChangedItem[] = [];
  let listed = 0;
  let respondedAt: Date | undefined;
  for (let page = 1; page <= maxPages; page += 1) {
    const read = await readPage(client, list, page, call);
    if (read === null) return null;
    // Changes that happen while the pages are read are left to the next call.
    respondedAt ??= read.respondedAt;
    items.push(...read.items.map(list.toItem));
    listed += read.listed;
    if (page >= read.lastPage || (read.total !== null && listed >= read.total)) return { items, respondedAt };
  }
  return { items: 'too_many', respondedAt: respondedAt ?? client.now() };
}

/** Joins lists that were read one after the other. @param now the time of the response when there is no list at all. */
function joined(lists: readonly (Changed | null)[], now: Date): Changed {
  const read = lists.filter((list) => list !== null);
  const responseTimes = read.map(({ respondedAt }) => respondedAt.getTime());
  const respondedAt = responseTimes.length === 0 ? now : new Date(Math.min(...responseTimes));
  if (read.some(({ items }) => items === 'too_many')) return { items: 'too_many', respondedAt };
  return { items: read.flatMap(({ items }) => (items === 'too_many' ? [] : items)), respondedAt };
}

function toKey({ id, updatedAt }: ChangedItem): string {
  return `${id} ${updatedAt}`;
}

function merged(items: readonly ListlessChange[]): ListlessChange[] {
  const streams = new Map<string, Set<string>>();
  for (const { repository, streams: names } of items) {
    streams.set(repository, new Set([...(streams.get(repository) ?? []), ...names]));
  }
  return [...streams].map(([repository, names]) => ({ repository, streams: [...names].toSorted() }));
}
