/** A number as the contributions give it, and as the totals have it. */
export interface Compared {
  counted: number;
  stored: number;
}

/**
 * Compares the numbers of keys, such as people, which are added in any order. It keeps the first keys only, so that any
 * number of keys is compared in bounded memory, in several passes: each begins behind the last key of the one before.
 */
export class Tally<Key extends string | number> {
  readonly #after: Key;
  readonly #limit: number;
  readonly #numbers = new Map<Key, Map<string, Compared>>();
  #until: Key | null = null;

  /** @param limit the most keys of one pass. */
  constructor(after: Key, limit: number) {
    this.#after = after;
    this.#limit = limit;
  }

  /** Adds to a number of a key, or leaves out the key when another pass compares it. */
  add(key: Key, side: keyof Compared, name: string, number: number): void {
    if (key <= this.#after || (this.#until !== null && key > this.#until)) return;
    const numbers = this.#numbers.get(key) ?? new Map<string, Compared>();
    const compared = numbers.get(name) ?? { counted: 0, stored: 0 };
    compared[side] += number;
    numbers.set(name, compared);
    this.#numbers.set(key, numbers);
    if (this.#numbers.size > 2 * this.#limit) this.#leaveOutLast();
  }

  /**
   * Returns the keys of which a number differs, each with all of its numbers.
   * @returns `until` is the last key of this pass; null: no key is left for another one.
   */
  end(): { different: Map<Key, ReadonlyMap<string, Compared>>; until: Key | null } {
    if (this.#numbers.size > this.#limit) this.#leaveOutLast();
    const different = [...this.#numbers].filter(([, numbers]) =>
      [...numbers.values()].some(({ counted, stored }) => counted !== stored),
    );
    return { different: new Map(different), until: this.#until };
  }

  #leaveOutLast(): void {
    const keys = [...this.#numbers.keys()].toSorted((one, other) => (one < other ? -1 : 1));
    for (const key of keys.slice(this.#limit)) this.#numbers.delete(key);
    this.#until = keys[this.#limit - 1] ?? null;
  }
}
