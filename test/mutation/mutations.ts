import { createHash } from 'node:crypto';
import type { Exchange } from '../../simulators/host.ts';
import { type Candidate, toPlace } from './candidate.ts';
import type { MutationHost } from './host.ts';
import { requestKey } from './observed-host.ts';
import type { Stage } from './run.ts';

/** A change of one place in the response to one request. */
export interface Mutation {
  /** The host, stage, operation, place, change, and number among equal places; it is the same in each run. */
  id: string;
  stage: Stage;
  operation: string;
  /** The place, without positions in lists. */
  place: string;
  request: string;
  exchange: Exchange;
  candidate: Candidate;
}

/**
 * Lists changes of every value that a host sent: for each kind of place the first and, in the first stage, another one.
 * @param seed decides which other one.
 */
export function listMutations(
  { host, stage, seed }: { host: MutationHost; stage: Stage; seed: number },
  exchanges: Iterable<Exchange>,
): Mutation[] {
  const places = new Map<string, Mutation[]>();
  const ordered = [...exchanges].toSorted((left, right) => (requestKey(left) < requestKey(right) ? -1 : 1));
  for (const exchange of ordered) {
    for (const candidate of host.candidates(exchange)) {
      const place = toPlace(candidate.path);
      const id = [host.name, stage, exchange.operation, place, candidate.change].join(':');
      const request = requestKey(exchange);
      const mutation = { id, stage, operation: exchange.operation, place, request, exchange, candidate };
      places.set(id, [...(places.get(id) ?? []), mutation]);
    }
  }
  return [...places].flatMap(([id, [first, ...others]]) => {
    const second = others[hash(`${seed} ${id}`) % Math.max(1, others.length)];
    // In the second stage, all places of a kind behave the same.
    const tried = stage === 'first' ? [first, second] : [first];
    return tried.flatMap((mutation, index) =>
      mutation === undefined ? [] : [{ ...mutation, id: `${id}:${index + 1}` }],
    );
  });
}

/** Returns a number that looks random and is the same for the same text. */
export function hash(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE();
}
