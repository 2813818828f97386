const minuteMs = 60_000;

/** Counts the requests of the last minute. */
export class RequestRate {
  readonly #sentAt: number[] = [];

  count(now: Date): void {
    this.#sentAt.push(now.getTime());
  }

  /** Returns the time when fewer requests than `most` were sent in the minute before; undefined: now. */
  exceededUntil(most: number, now: Date): Date | undefined {
    while (this.#sentAt[0] !== undefined && this.#sentAt[0] <= now.getTime() - minuteMs) this.#sentAt.shift();
    const first = this.#sentAt[this.#sentAt.length - most];
    return first === undefined ? undefined : new Date(first + minuteMs);
  }
}
