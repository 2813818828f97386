import { createHash } from 'node:crypto';
import type { Exchange } from '../../simulators/host.ts';
import { type Candidate, placeOf } from './candidate.ts';
import type { MutationHost } from './host.ts';
import type { Stage } from './run.ts';
import { requestOf } from './scene.ts';

/** One change of one place in the response to one request. */
export interface Mutation {
  /** The same in each run: host, stage, operation, place, change, and which of the places of the kind. */
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
  const ordered = [...exchanges].toSorted((one, other) => (requestOf(one) < requestOf(other) ? -1 : 1));
  for (const exchange of ordered) {
    for (const candidate of host.candidates(exchange)) {
      const place = placeOf(candidate.path);
      const id = [host.name, stage, exchange.operation, place, candidate.change].join(':');
      const request = requestOf(exchange);
      const mutation = { id, stage, operation: exchange.operation, place, request, exchange, candidate };
      places.set(id, [...(places.get(id) ?? []), mutation]);
    }
  }
  return [...places].flatMap(([id, [first, ...others]]) => {
    const other = others[hash(`${seed} ${id}`) % Math.max(1, others.length)];
    // In the second stage, all places of a kind behave the same.
    const tried = stage === 'first' ? [first, other] : [first];
    return tried.flatMap((one, index) => (one === undefined ? [] : [{ ...one, id: `${id}:${index + 1}` }]));
  });
}

/** Returns a number that looks random and is the same for the same text. */
export function hash(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE();
}
