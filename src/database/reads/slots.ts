import { AppError } from '../../model/errors.ts';
import { errorOfEnd, type StatementScope } from './statement-scope.ts';

export interface SlotLimits {
  /** The number of slots. Expensive work gets at most half of them. */
  slots: number;
  /** The number of pieces of work that may wait: for any slot, and for one of those for expensive work. */
  maxWaiting: { ordinary: number; expensive: number };
  /** The longest wait, in ms. */
  maxWaitMs: number;
}

interface Waiting {
  isExpensive: boolean;
  start: () => void;
}

/**
 * Gives out a bounded number of slots in the order of requests. Work that may take long leaves slots to all other work,
 * and has a queue of its own. A queue that is full, or too slow, refuses work instead of letting it wait in vain.
 */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #waiting = new Set<Waiting>();
  readonly #taken = { all: 0, expensive: 0 };

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /**
   * Waits for a slot.
   * @returns a function that gives it back.
   * @throws AppError `overloaded` when too much work waits, or no slot becomes free in time; the error of the scope's end.
   */
  async acquire(scope: StatementScope | undefined): Promise<() => void> {
    const { isExpensive = false, signal } = scope ?? {};
    if (signal?.aborted) throw errorOfEnd(signal);
    if (!this.#isFree(isExpensive)) await this.#wait(isExpensive, signal);
    else this.#take(isExpensive);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#release(isExpensive);
    };
  }

  /** The number of pieces of work that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  async #wait(isExpensive: boolean, signal: AbortSignal | undefined): Promise<void> {
    const { maxWaiting, maxWaitMs } = this.#limits;
    const ahead = [...this.#waiting].filter((other) => other.isExpensive === isExpensive).length;
    if (ahead >= (isExpensive ? maxWaiting.expensive : maxWaiting.ordinary)) throw overloaded();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { isExpensive, start: resolve };
    const giveUp = (error: AppError): void => {
      this.#waiting.delete(waiting);
      reject(error);
    };
    const end = (): void => {
      if (signal !== undefined) giveUp(errorOfEnd(signal));
    };
    const timer = setTimeout(() => giveUp(overloaded()), maxWaitMs);
    timer.unref();
    signal?.addEventListener('abort', end, { once: true });
    this.#waiting.add(waiting);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
  }

  #isFree(isExpensive: boolean): boolean {
    const { slots } = this.#limits;
    const maxExpensive = Math.max(1, Math.floor(slots / 2));
    return this.#taken.all < slots && !(isExpensive && this.#taken.expensive >= maxExpensive);
  }

  #take(isExpensive: boolean): void {
    this.#taken.all += 1;
    if (isExpensive) this.#taken.expensive += 1;
  }

  #release(isExpensive: boolean): void {
    this.#taken.all -= 1;
    if (isExpensive) this.#taken.expensive -= 1;
    for (const waiting of this.#waiting) {
      if (!this.#isFree(waiting.isExpensive)) continue;
      this.#waiting.delete(waiting);
      this.#take(waiting.isExpensive);
      waiting.start();
    }
  }
}

/** Returns the error for work that takes more of the database than there is. */
export function overloaded(cause?: unknown): AppError {
  return new AppError('overloaded', 'The service is overloaded just now. Retry after the time in Retry-After.', {
    cause,
  });
}
