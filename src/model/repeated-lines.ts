/** The number of different failures that are remembered. */
const maxFailures = 1000;

/**
 * Writes a failure at once, and then at most once in an interval with the number of times that it was repeated: each
 * request and each job may fail for the same reason, and a log that grows with them fills the disk.
 */
export class RepeatedLines {
  readonly #everyMs: number;
  readonly #repeats = new Map<string, { count: number; write: (count: number) => void }>();

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /**
   * Writes a line now, or with the others of its interval.
   * @param failure the same for all lines about the same failure.
   * @param write called with the number of repetitions; 0 for the first line.
   */
  add(failure: string, write: (repeated: number) => void): void {
    const known = this.#repeats.get(failure);
    if (known !== undefined) {
      known.count += 1;
      known.write = write;
      return;
    }
    write(0);
    if (this.#repeats.size >= maxFailures) return;
    this.#repeats.set(failure, { count: 0, write });
    this.#wait(failure);
  }

  #wait(failure: string): void {
    setTimeout(() => this.#end(failure), this.#everyMs).unref();
  }

  #end(failure: string): void {
    const known = this.#repeats.get(failure);
    if (known === undefined || known.count === 0) {
      this.#repeats.delete(failure);
      return;
    }
    known.write(known.count);
    known.count = 0;
    this.#wait(failure);
  }
}
