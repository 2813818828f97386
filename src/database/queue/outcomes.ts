/** Callers in this process that wait until a lookup has an outcome, which any node may bring. */
export class Outcomes {
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Resolves when the outcome of the lookup `key` is announced, at `deadline`, or when the signal aborts. */
  wait(key: string, deadline: Date, signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiting.add(resolve));
    signal?.addEventListener('abort', () => resolve(), { once: true });
    const timer = setTimeout(resolve, Math.max(0, deadline.getTime() - this.#now().getTime()));
    return promise.finally(() => {
      clearTimeout(timer);
      waiting.delete(resolve);
      if (waiting.size === 0 && this.#waiting.get(key) === waiting) this.#waiting.delete(key);
    });
  }

  wake(key: string): void {
    for (const resolve of this.#waiting.get(key) ?? []) resolve();
  }

  /** Wakes all callers to check for themselves, because announcements may have been missed. */
  wakeAll(): void {
    for (const key of this.#waiting.keys()) this.wake(key);
  }
}
