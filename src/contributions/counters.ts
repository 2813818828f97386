import type { ContributionKind } from './contribution.ts';

/** The lifetime counters, in the order of the API. */
export const counterNames = [
  'commits',
  'issues',
  'pull_requests',
  'reviews',
  'stars',
  'contributed_to',
  'issues_closed',
  'pull_requests_merged',
  'discussions',
  'discussions_answered',
] as const;
export type CounterName = (typeof counterNames)[number];

/** Null for a counter that was never known, which differs from zero. */
export type Counters = Record<CounterName, number | null>;

export const unknownCounters: Counters = {
  commits: null,
  issues: null,
  pull_requests: null,
  reviews: null,
  stars: null,
  contributed_to: null,
  issues_closed: null,
  pull_requests_merged: null,
  discussions: null,
  discussions_answered: null,
};

/** Returns the names of the counters without a value. */
export function missingFrom(counters: Partial<Counters>): CounterName[] {
  return counterNames.filter((name) => counters[name] === undefined);
}

/** Returns the sum of the counters; an unknown counter adds nothing. */
export function experienceOf(counters: Counters): number {
  return counterNames.reduce((sum, name) => sum + (counters[name] ?? 0), 0);
}

/** The kinds of contributions that must be completely known for each counter of an organization. */
const sources: Record<CounterName, readonly ContributionKind[]> = {
  commits: ['commit'],
  issues: ['issue'],
  pull_requests: ['pull_request'],
  reviews: ['review'],
  stars: [],
  contributed_to: ['commit', 'issue', 'pull_request', 'review'],
  issues_closed: ['issue'],
  pull_requests_merged: ['pull_request'],
  discussions: ['discussion'],
  discussions_answered: ['discussion'],
};

/** Returns the sums over an organization's repositories that are complete, and the names of the others. */
export function completeCounters(
  sums: Counters,
  uncollected: readonly ContributionKind[],
): { counters: Partial<Counters>; missing: CounterName[] } {
  const isMissing = (name: CounterName): boolean => sources[name].some((kind) => uncollected.includes(kind));
  return {
    counters: Object.fromEntries(counterNames.filter((name) => !isMissing(name)).map((name) => [name, sums[name]])),
    missing: counterNames.filter(isMissing),
  };
}
