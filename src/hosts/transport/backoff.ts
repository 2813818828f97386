/** The wait after a refusal that names no time: a minute, then twice the last wait, at most an hour. */
const firstWaitMs = 60_000;
const maxWaitMs = 3_600_000;

/** The time without requests after a host refused one because of its limits. */
export class Backoff {
  #until = new Date(0);
  #waitMs = firstWaitMs;

  /** The time of the next request. */
  get until(): Date {
    return this.#until;
  }

  /** @param until the time that the host named; undefined: it named none, and each further refusal doubles the wait. */
  block(until: Date | undefined, now: Date): void {
    const end = until ?? new Date(now.getTime() + this.#waitMs);
    if (end > this.#until) this.#until = end;
    if (until === undefined) this.#waitMs = Math.min(this.#waitMs * 2, maxWaitMs);
  }

  /** Makes the next wait the first one again, after a request succeeded. */
  forgive(): void {
    this.#waitMs = firstWaitMs;
  }
}
