import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../../model/errors.ts';

/** The times between the end of a process and its replacement. */
interface Restarts {
  firstDelayMs: number;
  mostDelayMs: number;
  /** The life, in ms, after which a process did not fail at its start. */
  worksAfterMs: number;
  /** The failures in a row of one place that end everything. */
  maxFailures: number;
}

/** About 80 seconds of waits in all. */
const usualRestarts: Restarts = {
  firstDelayMs: 100,
  mostDelayMs: 30_000,
  worksAfterMs: 60_000,
  maxFailures: 10,
};

interface Options<Place> {
  places: readonly Place[];
  /** Starts the process of a place. */
  start: (place: Place) => ChildProcess;
  /** Called when a process ended unexpectedly, with how. */
  onEnd: (place: Place, end: string) => void;
  restarts?: Restarts;
}

/** Runs a process in each of several places, and replaces those that end. */
export class Supervisor<Place> {
  readonly #options: Options<Place>;
  readonly #restarts: Restarts;
  readonly #running = new Set<ChildProcess>();
  readonly #ending = new AbortController();
  readonly #givenUp = Promise.withResolvers<never>();
  #places: Promise<unknown> = Promise.resolve();

  constructor(options: Options<Place>) {
    this.#options = options;
    this.#restarts = options.restarts ?? usualRestarts;
    this.#givenUp.promise.catch(() => {});
  }

  /** Rejects with AppError `misconfigured` when the processes of a place end again and again. */
  get givenUp(): Promise<never> {
    return this.#givenUp.promise;
  }

  begin(): void {
    process.on('exit', this.#killAll);
    this.#places = Promise.all(this.#options.places.map((place) => this.#keepRunning(place)));
    this.#places.catch((error: unknown) => this.#givenUp.reject(error));
  }

  /** Lets all processes end, and waits for them. */
  async stop(): Promise<void> {
    this.#ending.abort();
    for (const child of this.#running) child.kill('SIGTERM');
    await this.#places.catch(() => {});
    await Promise.all([...this.#running].map((child) => ended(child)));
    process.off('exit', this.#killAll);
  }

  /** A process that hangs does not notice that this one has ended. */
  readonly #killAll = (): void => {
    for (const child of this.#running) child.kill('SIGKILL');
  };

  async #keepRunning(place: Place): Promise<void> {
    const { firstDelayMs, mostDelayMs, worksAfterMs, maxFailures } = this.#restarts;
    const { signal } = this.#ending;
    for (let failures = 0; !signal.aborted; ) {
      const startedAt = performance.now();
      const child = this.#options.start(place);
      this.#running.add(child);
      const end = await ended(child);
      this.#running.delete(child);
      if (signal.aborted) return;
      this.#options.onEnd(place, end);
      failures = performance.now() - startedAt < worksAfterMs ? failures + 1 : 1;
      if (failures >= maxFailures) {
        throw new AppError('misconfigured', `A process of the service ended ${failures} times in a row, lastly ${end}`);
      }
      const delayMs = Math.min(firstDelayMs * 2 ** (failures - 1), mostDelayMs);
      await wait(delayMs, undefined, { signal }).catch(() => {});
    }
  }
}

/** Waits for the end of a process. @returns how it ended. */
async function ended(child: ChildProcess): Promise<string> {
  if (child.exitCode === null && child.signalCode === null) {
    try {
      await once(child, 'exit');
    } catch (error) {
      return `because it could not be started: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  return child.signalCode === null ? `with status ${child.exitCode}` : `by ${child.signalCode}`;
}
