import PQueue from 'p-queue';
import type { Call } from '../call.ts';

export interface SlotLimits {
  /** The most requests in flight. */
  all: number;
  /** The most requests in flight that are background requests; the other slots stay free for interactive ones. */
  background: number;
  /** The most requests that wait for a slot. */
  waiting: number;
}

const priorities = { interactive: 1, background: 0 };

/**
 * The slots for requests that a host limits together. Waiting interactive requests get the next free slot; requests of
 * the same urgency get slots in the order in which they came.
 */
export class Slots {
  readonly #all: PQueue;
  /** Background requests pass through this queue first, which admits as many as may be in flight. */
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
  async hold(urgency: Call['urgency'], signal: AbortSignal, begin: () => Promise<void>): Promise<void> {
    const options = { priority: priorities[urgency], signal };
    if (urgency === 'interactive') await this.#all.add(begin, options);
    else await this.#background.add(() => this.#all.add(begin, options), options);
  }
}
