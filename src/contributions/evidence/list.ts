import { type Static, Type } from 'typebox';
import type { RouteServices } from '../../accounts/resolve.ts';
import type { Comparison } from '../../http/pipeline/envelope.ts';
import { cutPage, type Page, type PageStart, staleCursor } from '../../http/pipeline/pagination.ts';
import { AppError, invalid } from '../../model/errors.ts';
import { fromCursor, toCursor } from '../../model/windows/cursors.ts';
import {
  countedUntil,
  firstInstant,
  readWindow,
  type Window,
  type WindowText,
  windowBefore,
} from '../../model/windows/window.ts';
import { type ChangedItem, type FormerScope, findChanges, findComparableSince } from './comparison-store.ts';
import {
  countEvidence,
  EvidenceFormat,
  ExcludedParameter,
  ItemFilterParameters,
  type ItemsWanted,
  type LoadedEvidence,
  loadExcluded,
  loadItems,
} from './evidence.ts';
import type { ExcludedScope } from './excluded-store.ts';
import type { ItemPlace, ItemScope } from './items-store.ts';

const comparisons = ['yesterday', 'previous'] as const;

const CompareParameter = Type.Optional(
  Type.Enum([...comparisons], {
    description:
      'Lists what came and went in the number since a former moment: a day ago, or the length of the window ago, with the window of then.',
  }),
);

/** A window of a request, and how it was read. */
interface ComparedWindow {
  compare: (typeof comparisons)[number];
  /** True when the request also has `excluded=true`, which cannot be compared. */
  isExcluded: boolean;
  text: WindowText;
  window: Window | undefined;
  /** Widens a window to whole days where the request's own was widened, because it shows private data. */
  widen: (window: Window) => Window;
}

const dayMs = 86_400_000;
/** The comparison that every window has. */
const yesterday = { name: 'compare', meant: comparisons[0] };

interface Compared {
  scope: ItemScope;
  former: FormerScope;
  place?: ItemPlace;
}

/** The parameters that all lists of evidence have, beside those of windows and pages. */
export const ListParameters = Type.Object({
  format: EvidenceFormat,
  ...ItemFilterParameters.properties,
  excluded: ExcludedParameter,
  compare: CompareParameter,
});

/** The list that a request wants: items that count, excluded data, or the items that came and went. */
interface ListWanted extends Pick<ExcludedScope, 'ofContributors' | 'readerId'> {
  query: Static<typeof ListParameters> & WindowText;
  window: Window | undefined;
  /** Widens a window to whole days where the request's own was widened. Absent: it was not. */
  widen?: (window: Window) => Window;
}

/** Returns the parameters that choose and narrow a list, as a part of its key. */
export function narrowedBy({ excluded = false, type, assisted, compare }: ListWanted['query']): readonly unknown[] {
  return [excluded, type, assisted, compare];
}

/** Finds a page of the list that a request wants. */
export function loadList(
  services: Pick<RouteServices, 'connection' | 'now'>,
  wanted: ItemsWanted,
  { query, window, widen = (exact) => exact, ofContributors, readerId }: ListWanted,
  page: { key: string; limit: number; start: PageStart },
): Promise<Omit<LoadedEvidence, 'window' | 'asOf' | 'missing' | 'includesPrivate'> & { scope: ItemScope }> {
  const { compare, excluded = false } = query;
  if (compare !== undefined) {
    return loadComparison(services, wanted, { compare, isExcluded: excluded, text: query, window, widen }, page);
  }
  return excluded
    ? loadExcluded(services, { ...wanted, ofContributors, readerId }, page)
    : loadItems(services, wanted, page);
}

/** @throws AppError `invalid_input` for parameters that a comparison cannot take. */
function checkParameters({ filter }: ItemScope, { isExcluded }: ComparedWindow): void {
  const other = isExcluded ? 'excluded' : filter === undefined ? undefined : 'type or assisted';
  if (other === undefined) return;
  throw new AppError('invalid_input', `compare cannot be used together with ${other}; keep one.`);
}

/**
 * Returns the former moment and its window.
 * @throws AppError `invalid_input` for `previous` without a window that has two ends, or without one before it.
 */
function toFormer(
  { compare, text, window, widen }: ComparedWindow,
  now: Date,
): { at: Date; window: Window | undefined } {
  if (compare === 'previous') {
    if (window === undefined || window.since === null || window.until === null || window.length === null)
      throw invalid('compare=previous needs a window with two ends: add period, or since and until.', yesterday);
    const before = windowBefore(window, 1);
    if (before.since === null || before.since < firstInstant(window.timeZone))
      throw invalid('The window before the one of the request begins before 1970.', yesterday);
    const lengthMs = window.since.getTime() - (before.since?.getTime() ?? 0);
    return { at: new Date(now.getTime() - lengthMs), window: before };
  }
  const at = new Date(now.getTime() - dayMs);
  const isRelative = /^[a-z]/.test(text.period ?? '');
  const then = isRelative ? readWindow(text, at) : window;
  return { at, window: then && (isRelative ? widen(then) : then) };
}

/**
 * Finds a page of the items that were added to a number and removed from it since a former moment, and counts all by
 * reason.
 * @param key identifies the list: everything that it depends on. A cursor of another list is refused.
 * @throws AppError `invalid_input` for a cursor of another list, and for filters, because former items are stored
 *   without types.
 */
async function loadComparison(
  { connection, now }: Pick<RouteServices, 'connection' | 'now'>,
  wanted: ItemsWanted,
  compared: ComparedWindow,
  { key, limit, start }: { key: string; limit: number; start: PageStart },
): Promise<
  Page<ChangedItem> & Pick<LoadedEvidence, 'evidence' | 'listKey'> & { scope: ItemScope; comparison: Comparison }
> {
  checkParameters(wanted.scope, compared);
  const found = toFormer(compared, now());
  const since = await findComparableSince(connection, now());
  const first: FormerScope = {
    since: found.window?.since ?? null,
    until: found.window?.until ?? null,
    at: found.at < since ? since : found.at,
  };
  const { scope, place, ...of } = readCursor(start, key, { scope: wanted.scope, former: first });
  const then = found.window && countedUntil({ ...found.window, ...of.former }, of.former.at);
  const former = { ...of.former, countedUntil: then };
  const page = {
    limit: limit + 1,
    after: start.after === undefined ? undefined : place,
    before: start.before === undefined ? undefined : place,
  };
  const countsPrivate = wanted.countsPrivate;
  const { items, ...counts } = await findChanges(connection, { ...scope, countsPrivate }, wanted.counters, {
    former,
    page,
  });
  const evidence = await countEvidence(connection, wanted, scope);
  const isCollected = (evidence.remainder['host-total'] ?? 0) === 0;
  const listKey = [key, ...[scope.since, scope.until, former.since, former.until, former.at].map(toCursor)];
  return {
    ...cutPage(items, limit, start),
    scope,
    listKey,
    evidence,
    comparison: {
      ...counts,
      at: former.at,
      ...(found.window && { window: { ...former, timeZone: found.window.timeZone } }),
      total: isCollected ? evidence.total - sumCounts(counts.added) + sumCounts(counts.removed) : null,
    },
  };
}

function sumCounts(counts: Comparison['added']): number {
  return Object.values(counts).reduce<number>((sum, count = 0) => sum + count, 0);
}

function readCursor(start: PageStart, key: string, compared: Compared): Compared {
  const cursor = start.after ?? start.before;
  if (cursor === undefined) return compared;
  const [ofKey, since, until, formerSince, formerUntil, formerAt, at, kind, repositoryId, id] = cursor;
  const isOfList =
    ofKey === key &&
    since !== undefined &&
    until !== undefined &&
    formerSince !== undefined &&
    formerUntil !== undefined &&
    typeof formerAt === 'number' &&
    typeof at === 'number';
  if (!isOfList || typeof kind !== 'string' || typeof repositoryId !== 'string' || typeof id !== 'string')
    throw staleCursor(start.after === undefined ? 'before' : 'after');
  return {
    scope: { ...compared.scope, since: fromCursor(since), until: fromCursor(until) },
    former: { since: fromCursor(formerSince), until: fromCursor(formerUntil), at: new Date(formerAt) },
    place: { at, kind, repositoryId, id },
  };
}
