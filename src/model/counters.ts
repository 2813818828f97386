import { type ContributionKind, type CounterName, counterNames, listNeeds } from './kinds.ts';

export { type CounterName, counterNames } from './kinds.ts';

/** Null for a counter that was never known, which differs from zero. */
export type Counters = Record<CounterName, number | null>;

export const unknownCounters: Counters = eachCounter(() => null);

/** Returns a value for each counter. */
export function eachCounter<Value>(toValue: (name: CounterName) => Value): Record<CounterName, Value> {
  const values: Partial<Record<CounterName, Value>> = {};
  for (const name of counterNames) values[name] = toValue(name);
  if (!isWhole(values)) throw new Error('a counter has no value');
  return values;
}

function isWhole<Value>(values: Partial<Record<CounterName, Value>>): values is Record<CounterName, Value> {
  return counterNames.every((name) => name in values);
}

/** Returns the names of the counters without a value. */
export function missingFrom(counters: Partial<Counters>): CounterName[] {
  return counterNames.filter((name) => counters[name] === undefined);
}

/** Returns the sum of the counters; an unknown counter adds nothing. */
export function sumExperience(counters: Counters): number {
  return counterNames.reduce((sum, name) => sum + (counters[name] ?? 0), 0);
}

/** Returns the counters that lack contributions of kinds which are not completely known. */
export function missingCounters(uncollected: readonly ContributionKind[]): CounterName[] {
  return counterNames.filter((name) => listNeeds(name).some((kind) => uncollected.includes(kind)));
}
