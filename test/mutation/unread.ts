import { globSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Exchange } from '../../simulators/host.ts';
import { type Path, toPlace } from './candidate.ts';
import type { Mutation } from './mutations.ts';
import type { Outcome } from './run.ts';

/**
 * Finds properties that the service does not read, so that their changes need not be tried: three of four in the
 * responses of REST interfaces. The source of the provider does not contain their names. A run proves that they are
 * unread: it replaces each of them by a meaningless object, which no check of a payload accepts.
 */
export class UnreadProperties {
  readonly #words: ReadonlySet<string>;
  readonly #proved = new Set<string>();

  /** @param provider the folder of the provider's source. */
  constructor(provider: string) {
    const files = globSync(`src/providers/{${provider},rest,http}/**/*.{ts,graphql}`);
    if (files.length === 0) throw new Error(`the source of ${provider} is not here`);
    this.#words = new Set(files.flatMap((file) => readFileSync(file, 'utf8').match(/\w+/g) ?? []));
  }

  /** Returns whether a run has proved that the service does not read a property. */
  isProvedUnread({ operation, candidate }: Pick<Mutation, 'operation' | 'candidate'>): boolean {
    const unnamed = this.unnamed(candidate.path);
    return unnamed !== undefined && this.#proved.has(`${operation} ${toPlace(unnamed)}`);
  }

  /** Returns the part of a path up to the first property whose name the source does not contain. */
  unnamed(path: Path): Path | undefined {
    const index = path.findIndex((step) => typeof step === 'string' && !this.#words.has(step));
    return index < 0 ? undefined : path.slice(0, index + 1);
  }

  /** Tries each operation with meaningless values in all properties that seem to be unread. */
  async prove(
    mutations: readonly Mutation[],
    baseline: Outcome,
    read: (change: (exchange: Exchange) => unknown) => Promise<Outcome>,
  ): Promise<void> {
    const places = Map.groupBy(
      mutations.flatMap(({ operation, candidate: { path } }) => {
        const unnamed = this.unnamed(path);
        return unnamed === undefined ? [] : [{ operation, place: toPlace(unnamed) }];
      }),
      ({ operation }) => operation,
    );
    for (const [operation, named] of places) {
      const replaced = new Set(named.map(({ place }) => place));
      const { snapshot, faults } = await read((exchange) =>
        exchange.operation === operation ? withMeaninglessValues(exchange.body, replaced, []) : exchange.body,
      );
      const isSame = faults.length === 0 && isDeepStrictEqual(snapshot, baseline.snapshot);
      if (isSame) for (const place of replaced) this.#proved.add(`${operation} ${place}`);
    }
  }
}

function withMeaninglessValues(value: unknown, places: ReadonlySet<string>, path: Path): unknown {
  if (places.has(toPlace(path))) return { invalid: [true] };
  if (Array.isArray(value))
    return value.map((element: unknown, index) => withMeaninglessValues(element, places, [...path, index]));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, content]: [string, unknown]) => [
      name,
      withMeaninglessValues(content, places, [...path, name]),
    ]),
  );
}
