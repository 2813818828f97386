import { type Static, Type } from 'typebox';
import type { RouteServices } from '../../accounts/resolve.ts';
import type { Connection } from '../../database/connections/connection.ts';
import type { Comparison, Evidence, Progress, RemainderReason } from '../../http/pipeline/envelope.ts';
import { cutPage, type Page, type PageStart, type Place, staleCursor } from '../../http/pipeline/pagination.ts';
import { personTypes } from '../../model/agents.ts';
import { AppError } from '../../model/errors.ts';
import type { StoredCounter } from '../../model/kinds.ts';
import { fromCursor, toCursor } from '../../model/windows/cursors.ts';
import type { Window } from '../../model/windows/window.ts';
import type { ChangedItem } from './comparison-store.ts';
import { type ExcludedItem, type ExcludedScope, findExcluded } from './excluded-store.ts';
import type { ItemFilter } from './filter-store.ts';
import type { ItemPlace, ItemScope } from './items-store.ts';
import { countContributedRepositories, findContributedRepositories } from './repository-store.ts';
import { countErased, countItems, findItems, type Item } from './store.ts';

export const EvidenceFormat = Type.Optional(
  Type.Enum(['json', 'csv'], { description: '`csv` returns the same page as CSV.', default: 'json' }),
);

export const ExcludedParameter = Type.Optional(
  Type.Boolean({ description: 'Lists data that was seen and does not count, with the reason.', default: false }),
);

/** The parameters that narrow the items, and with them the number. */
export const ItemFilterParameters = Type.Object({
  type: Type.Optional(
    Type.Enum([...personTypes], {
      description:
        'Lists what accounts of this type did alone; of commits, their authors. An `agent` is a program that writes with people.',
    }),
  ),
  assisted: Type.Optional(
    Type.Boolean({ description: '`true`: commits that a program helped to write. `false`: everything else.' }),
  ),
});

/**
 * Returns the filter of the parameters; undefined when none is given.
 * @param counter the counter whose items are listed; absent: those of a contributor's number.
 * @throws AppError `invalid_input` for a type of the people who gave stars.
 */
export function readItemFilter(
  { type, assisted }: Static<typeof ItemFilterParameters>,
  counter?: string,
): ItemFilter | undefined {
  if (counter === 'stars' && type !== undefined) {
    throw new AppError('invalid_input', 'type does not narrow stars: their items name no person.');
  }
  return type === undefined && assisted === undefined ? undefined : { type, isAssisted: assisted };
}

/** The number whose items are wanted. */
export interface ItemsWanted {
  /** The counters whose items it counts; null: repositories with a contribution (`contributed_to`). */
  counters: readonly StoredCounter[] | null;
  scope: ItemScope;
  /** True when all private items count, also those that are not listed. */
  countsPrivate: boolean;
  /**
   * Counts the number without a filter. `countedWithPrivate` is the number of collected items with those of private
   * repositories that are not listed; null when the number contains no private items.
   */
  count: (scope: ItemScope) => Promise<{ total: number; countedWithPrivate: number | null }>;
  hostSearch?: string | undefined;
}

/** An item of a list of evidence. */
export type ListedItem = (Item | ExcludedItem | ChangedItem) & {
  /** The changed files, in lists of languages. */
  files?: number;
  /** The part of the number that the item adds, in lists of progress. */
  amount?: number;
};

/** A page of the items behind a number. */
export interface LoadedEvidence extends Page<ListedItem> {
  /** Undefined: the items are those that do not count. */
  evidence: Evidence | undefined;
  /** Present in a comparison, whose items were added or removed. */
  comparison?: Comparison;
  listKey: Place;
  window: Pick<Window, 'since' | 'until' | 'timeZone'> | undefined;
  asOf: Date;
  missing: readonly string[];
  /** The reason for which missing items are not read yet; absent where none is missing. */
  progress?: Progress | undefined;
  includesPrivate: boolean;
}

/**
 * Finds a page of the items behind a number. Items and remainder always add up to the number.
 * @param key identifies the list: everything that it depends on. A cursor of another list is refused.
 * @throws AppError `invalid_input` for a cursor of another list.
 */
export async function loadItems(
  { connection }: Pick<RouteServices, 'connection'>,
  wanted: ItemsWanted,
  { key, limit, start }: { key: string; limit: number; start: PageStart },
): Promise<Page<Item> & Pick<LoadedEvidence, 'evidence' | 'listKey'> & { scope: ItemScope }> {
  const { since, until, place } = readCursor(start, key, wanted.scope);
  const scope = { ...wanted.scope, since, until };
  const page = {
    limit: limit + 1,
    after: start.after === undefined ? undefined : place,
    before: start.before === undefined ? undefined : place,
  };
  const { counters } = wanted;
  const items =
    counters === null
      ? await findContributedRepositories(connection, scope, page)
      : await findItems(connection, scope, counters, page);
  return {
    ...cutPage(items, limit, start),
    scope,
    listKey: [key, toCursor(since), toCursor(until)],
    evidence: await countEvidence(connection, wanted, scope),
  };
}

/** Counts the items behind a number, and its remainder. */
export async function countEvidence(
  connection: Connection,
  { counters, countsPrivate, count, hostSearch }: ItemsWanted,
  scope: ItemScope,
): Promise<Evidence> {
  const { itemised, erased } = await countCollected(connection, scope, counters);
  const { total, countedWithPrivate } =
    scope.filter === undefined
      ? await count(scope)
      : await countFiltered(connection, { ...scope, countsPrivate }, counters);
  const hidden = countedWithPrivate === null ? 0 : Math.max(0, countedWithPrivate - itemised - erased);
  const stored = itemised + erased + hidden;
  const parts: [RemainderReason, number][] = [
    ['host-total', Math.max(0, total - stored)],
    ['private', hidden],
    ['erased-account', erased],
  ];
  return {
    // A star that was taken back is stored until the repository is read again, but not in the host's listing.
    total: Math.max(total, stored),
    itemised,
    remainder: Object.fromEntries(parts.filter(([, number]) => number !== 0)),
    hostSearch: scope.filter === undefined ? hostSearch : undefined,
  };
}

/** Counts the collected items of a scope, and those of erased persons, which count and are not listed. */
async function countCollected(
  connection: Connection,
  scope: ItemScope,
  counters: ItemsWanted['counters'],
): Promise<{ itemised: number; erased: number }> {
  if (counters === null) return { itemised: await countContributedRepositories(connection, scope), erased: 0 };
  let erased = 0;
  for (const counter of counters) erased += await countErased(connection, scope, counter);
  // Counting all and subtracting is faster than reading the person of each item.
  const all = await countItems(connection, { ...scope, withErased: true }, counters);
  return { itemised: all - erased, erased };
}

/** Counts the collected items that a filter keeps; hosts report no filtered numbers. */
async function countFiltered(
  connection: Connection,
  scope: ItemScope,
  counters: ItemsWanted['counters'],
): Promise<{ total: number; countedWithPrivate: number }> {
  const { itemised, erased } = await countCollected(connection, scope, counters);
  return { total: itemised + erased, countedWithPrivate: itemised + erased };
}

/**
 * Reads the window and the position of a cursor; without a cursor, the window is that of the scope.
 * @throws AppError `invalid_input` for a cursor of another list.
 */
export function readCursor(
  start: PageStart,
  key: string,
  scope: Pick<ItemScope, 'since' | 'until'>,
): { since: Date | null; until: Date | null; place?: ItemPlace } {
  const cursor = start.after ?? start.before;
  if (cursor === undefined) return scope;
  const [ofKey, since, until, at, kind, repositoryId, id] = cursor;
  const isOfList = ofKey === key && since !== undefined && until !== undefined && typeof at === 'number';
  if (!isOfList || typeof kind !== 'string' || typeof repositoryId !== 'string' || typeof id !== 'string') {
    throw staleCursor(start.after === undefined ? 'before' : 'after');
  }
  return { since: fromCursor(since), until: fromCursor(until), place: { at, kind, repositoryId, id } };
}

/** Finds a page of data that was seen and does not count. */
export async function loadExcluded(
  { connection }: Pick<RouteServices, 'connection'>,
  {
    counters,
    scope: wanted,
    ofContributors,
    readerId,
  }: Pick<ItemsWanted, 'counters' | 'scope'> & Pick<ExcludedScope, 'ofContributors' | 'readerId'>,
  { key, limit, start }: { key: string; limit: number; start: PageStart },
): Promise<Pick<LoadedEvidence, 'evidence' | 'listKey'> & Page<ExcludedItem> & { scope: ItemScope }> {
  const { since, until, place } = readCursor(start, key, wanted);
  const scope = { ...wanted, since, until };
  const page = {
    limit: limit + 1,
    after: start.after === undefined ? undefined : place,
    before: start.before === undefined ? undefined : place,
  };
  const items = await findExcluded(connection, { ...scope, ofContributors, readerId }, counters ?? [], page);
  return {
    ...cutPage(items, limit, start),
    scope,
    listKey: [key, toCursor(since), toCursor(until)],
    evidence: undefined,
  };
}
