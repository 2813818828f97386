import type { Exchange } from '../../simulators/host.ts';
import { alongPath, type Candidate, type Path, withChange } from './candidate.ts';
import type { MutationHost } from './host.ts';
import type { Items } from './items.ts';
import { hash } from './mutations.ts';

/** Gives some items an unexpected value: the same items the same value in each response. */
export class UnexpectedItems {
  /** The keys of the changed items that a response contained. */
  readonly seenKeys = new Set<string>();
  readonly #options: { host: MutationHost; items: Items; seed: number; percent: number };

  constructor(options: { host: MutationHost; items: Items; seed: number; percent: number }) {
    this.#options = options;
  }

  /** Returns the body of a response with the changed items. */
  rewrite(exchange: Exchange): unknown {
    const { host, items, seed, percent } = this.#options;
    const broken = new Map<string, string>();
    for (const { path, value } of objectsIn(exchange.body, [])) {
      const key = items.contributionOf(value, exchange);
      if (key !== undefined && hash(`${seed} ${key}`) % 100 < percent) broken.set(JSON.stringify(path), key);
    }
    if (broken.size === 0) return exchange.body;
    const changesByPlace = new Map<string, Candidate[]>();
    for (const candidate of host.candidates(exchange)) {
      const place = innermostBroken(broken, candidate.path);
      if (place !== undefined && isUnexpected(candidate))
        changesByPlace.set(place, [...(changesByPlace.get(place) ?? []), candidate]);
    }
    let { body } = exchange;
    for (const [place, candidates] of changesByPlace) {
      const key = broken.get(place) ?? '';
      const order = ({ path, change }: Candidate): number => hash(`${seed} ${key} ${String(path.at(-1))} ${change}`);
      const [change] = candidates.toSorted((left, right) => order(left) - order(right));
      // An earlier change may have removed the property that holds this one.
      if (change === undefined || alongPath(body, change.path).at(-1) === undefined) continue;
      this.seenKeys.add(key);
      body = withChange(body, change);
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
function innermostBroken(broken: ReadonlyMap<string, string>, path: Path): string | undefined {
  for (let length = path.length - 1; length >= 0; length -= 1) {
    const place = JSON.stringify(path.slice(0, length));
    if (broken.has(place)) return place;
  }
  return undefined;
}
