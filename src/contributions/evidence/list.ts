import { type Static, Type } from 'typebox';
import type { RouteServices } from '../../accounts/resolve.ts';
import type { PageStart } from '../../http/pipeline/pagination.ts';
import type { Window, WindowText } from '../../model/windows/window.ts';
import { CompareParameter, loadComparison } from './comparison.ts';
import {
  EvidenceFormat,
  ExcludedParameter,
  ItemFilterParameters,
  type ItemsWanted,
  type LoadedEvidence,
  loadExcluded,
  loadItems,
} from './evidence.ts';
import type { ExcludedScope } from './excluded-store.ts';
import type { ItemScope } from './items-store.ts';

/** The parameters that all lists of evidence have, beside those of windows and pages. */
export const ListParameters = Type.Object({
  format: EvidenceFormat,
  ...ItemFilterParameters.properties,
  excluded: ExcludedParameter,
  compare: CompareParameter,
});

/** The list that a request wants: items that count, excluded data, or the items that came and went. */
export interface ListWanted extends Pick<ExcludedScope, 'ofContributors' | 'readerId'> {
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
