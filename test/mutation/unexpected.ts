import type { Exchange } from '../../simulators/host.ts';
import { alongPath, type Candidate, type Path, withChange } from './candidate.ts';
import type { MutationHost } from './host.ts';
import type { Items } from './items.ts';
import { hash } from './mutations.ts';

/** A host with some unexpected items, the same ones in the same way in each response. */
export class UnexpectedItems {
  /** Keys of the unexpected items that were in a response. */
  readonly met = new Set<string>();
  readonly #options: { host: MutationHost; items: Items; seed: number; percent: number };

  constructor(options: { host: MutationHost; items: Items; seed: number; percent: number }) {
    this.#options = options;
  }

  rewrite(exchange: Exchange): unknown {
    const { host, items, seed, percent } = this.#options;
    const broken = new Map<string, string>();
    for (const { path, value } of objectsIn(exchange.body, [])) {
      const key = items.contributionOf(value, exchange);
      if (key !== undefined && hash(`${seed} ${key}`) % 100 < percent) broken.set(JSON.stringify(path), key);
    }
    if (broken.size === 0) return exchange.body;
    const ways = new Map<string, Candidate[]>();
    for (const candidate of host.candidates(exchange)) {
      const place = closest(broken, candidate.path);
      if (place !== undefined && isUnexpected(candidate)) ways.set(place, [...(ways.get(place) ?? []), candidate]);
    }
    let { body } = exchange;
    for (const [place, candidates] of ways) {
      const key = broken.get(place) ?? '';
      const order = ({ path, change }: Candidate): number => hash(`${seed} ${key} ${String(path.at(-1))} ${change}`);
      const [way] = candidates.toSorted((one, other) => order(one) - order(other));
      // An earlier change may have removed the property that holds this one.
      if (way === undefined || alongPath(body, way.path).at(-1) === undefined) continue;
      this.met.add(key);
      body = withChange(body, way);
    }
    return body;
  }
}

/** Properties in which null, absence or another value has a meaning, such as a deleted author or an open issue. */
const meaningful =
  /^(?:author|user|closedAt|closed_at|mergedAt|merged_at|merged|answer|answerChosenAt|pull_request|state|type|kind|merge_user|submittedAt|submitted_at)$/;

function isUnexpected({ path, change }: Candidate): boolean {
  const hasMeaning = meaningful.test(String(path.at(-1))) && /^(?:null|absent|empty|unknown value)$/.test(change);
  return !hasMeaning && !change.startsWith('member');
}

function* objectsIn(value: unknown, path: Path): Generator<{ path: Path; value: object }> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield { path, value };
  for (const [name, content] of Object.entries(value)) {
    yield* objectsIn(content, [...path, Array.isArray(value) ? Number(name) : name]);
  }
}

/** Returns the place of the innermost broken item that a path leads into. */
function closest(broken: ReadonlyMap<string, string>, path: Path): string | undefined {
  for (let length = path.length - 1; length >= 0; length -= 1) {
    const place = JSON.stringify(path.slice(0, length));
    if (broken.has(place)) return place;
  }
  return undefined;
}
