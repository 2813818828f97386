import { type Static, type TArray, Type } from 'typebox';
import { AppError } from '../../errors.ts';
import type { Call } from '../call.ts';
import type { ListlessChange, OwnerChanges } from '../owner-polls.ts';
import { readCursor } from './checks.ts';
import type { RestClient } from './client.ts';
import { type List, readPage } from './lists.ts';

/** Lists of what changed since a time, read again and again with little on them. */

const Position = Type.Object({
  /** By the host's clock. */
  since: Type.String(),
  /** Keys of items that changed then or later and were read. */
  seen: Type.Array(Type.String()),
});

/** An item may be stored a moment after the time that it says it changed. */
const overlapMs = 10_000;
const firstReachMs = 3_600_000;
/** Where more than this changed, everything is taken for changed. */
const maxPages = 10;

/** An item that changed, and the change that it stands for. */
export interface ChangedItem extends ListlessChange {
  id: string;
  updatedAt: string;
}

/** Items that changed, or `too_many`; and when the host answered. */
export interface Changed {
  items: ChangedItem[] | 'too_many';
  answeredAt: Date;
}

/**
 * Reads what changed since the last call, each state of an item once.
 * @param read reads what changed at a time or later.
 * @param everything stands for more changes than can be read.
 */
export async function changesSince(
  client: RestClient,
  position: string | null,
  read: (since: Date) => Promise<Changed>,
  everything: readonly ListlessChange[],
): Promise<OwnerChanges> {
  const known = position === null ? undefined : readCursor(Position, position);
  const since = known === undefined ? new Date(client.now().getTime() - firstReachMs) : new Date(known.since);
  const { items, answeredAt } = await read(since);
  const nextSince = new Date(Math.max(since.getTime(), answeredAt.getTime() - overlapMs));
  const seen = new Set(known?.seen);
  const all = items === 'too_many' ? [] : items;
  const recent = all.filter(({ updatedAt }) => Date.parse(updatedAt) >= nextSince.getTime());
  return {
    changes: items === 'too_many' ? [...everything] : merged(all.filter((item) => !seen.has(keyOf(item)))),
    position: JSON.stringify({ since: nextSince.toISOString(), seen: recent.map(keyOf) }),
  };
}

/** Reads a list of changes whole; null where there is no such list, or the host denies it. */
export async function readChanged<Items extends TArray>(
  client: RestClient,
  list: List<Items>,
  toItem: (item: Static<Items>[number]) => ChangedItem,
  call: Call,
): Promise<Changed | null> {
  return readPages(client, list, toItem, call).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'provider_denied') return null;
    throw error;
  });
}

async function readPages<Items extends TArray>(
  client: RestClient,
  list: List<Items>,
  toItem: (item: Static<Items>[number]) => ChangedItem,
  call: Call,
): Promise<Changed | null> {
  const items: ChangedItem[] = [];
  let listed = 0;
  let answeredAt: Date | undefined;
  for (let page = 1; page <= maxPages; page += 1) {
    const read = await readPage(client, list, page, call);
    if (read === null) return null;
    // What changes while the pages are read is left to the next call.
    answeredAt ??= read.answeredAt;
    items.push(...read.items.map(toItem));
    listed += read.listed;
    if (page >= read.lastPage || (read.total !== null && listed >= read.total)) return { items, answeredAt };
  }
  return { items: 'too_many', answeredAt: answeredAt ?? client.now() };
}

/** Joins lists that were read one after the other. @param now is taken where there was no list at all. */
export function joined(lists: readonly (Changed | null)[], now: Date): Changed {
  const read = lists.filter((list) => list !== null);
  const answers = read.map(({ answeredAt }) => answeredAt.getTime());
  const answeredAt = answers.length === 0 ? now : new Date(Math.min(...answers));
  if (read.some(({ items }) => items === 'too_many')) return { items: 'too_many', answeredAt };
  return { items: read.flatMap(({ items }) => (items === 'too_many' ? [] : items)), answeredAt };
}

function keyOf({ id, updatedAt }: ChangedItem): string {
  return `${id} ${updatedAt}`;
}

function merged(items: readonly ListlessChange[]): ListlessChange[] {
  const streams = new Map<string, Set<string>>();
  for (const { repository, streams: names } of items) {
    streams.set(repository, new Set([...(streams.get(repository) ?? []), ...names]));
  }
  return [...streams].map(([repository, names]) => ({ repository, streams: [...names].toSorted() }));
}
