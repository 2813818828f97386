import PQueue from 'p-queue';
import { hasCaller, type Urgency } from '../interface/call.ts';

export interface SlotLimits {
  /** The most requests in flight. */
  all: number;
  /** The most requests in flight for which no caller waits; the other slots stay free for those of callers. */
  background: number;
  /** The most requests that wait for a slot. */
  waiting: number;
}

const priorities: Record<Urgency, number> = { owner: 2, interactive: 1, background: 0, bulk: 0 };

/**
 * The slots for requests that a host limits together. The next free slot is for the waiting requests of owners, then
 * for those of visitors; requests of the same urgency get slots in the order in which they came.
 */
export class Slots {
  readonly #all: PQueue;
  /** Requests without a caller pass through this queue first, which admits as many as may be in flight. */
  readonly #background: PQueue;
  readonly #maxWaiting: number;

  constructor({ all, background, waiting }: SlotLimits) {
    this.#all = new PQueue({ concurrency: all });
    this.#background = new PQueue({ concurrency: background });
    this.#maxWaiting = waiting;
  }

  get isFull(): boolean {
    return this.#all.size + this.#background.size >= this.#maxWaiting;
  }

  /**
   * Calls `begin` as soon as a slot is free, at once if one is, and keeps the slot until the returned promise settles.
   * @throws the signal's reason when the signal aborts.
   */
  async hold(urgency: Urgency, signal: AbortSignal, begin: () => Promise<void>): Promise<void> {
    const options = { priority: priorities[urgency], signal };
    if (hasCaller(urgency)) await this.#all.add(begin, options);
    else await this.#background.add(() => this.#all.add(begin, options), options);
  }
}
