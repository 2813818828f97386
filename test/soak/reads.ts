import { setTimeout as wait } from 'node:timers/promises';

/** A read of a known account that did not succeed. */
export interface FailedRead {
  path: string;
  /** The status of the response, or the error of the connection. */
  outcome: string;
  /** The times of its begin and end, in ms since 1970. */
  at: number;
  until: number;
}

/** Reads known accounts all the time, and records every read that fails. */
export class Reads {
  readonly failures: FailedRead[] = [];
  count = 0;
  readonly #ended: Promise<unknown>;
  #isStopping = false;

  /**
   * @param options.paths addresses that succeeded once.
   * @param options.pauseMs the wait between two reads of each reader.
   */
  constructor(options: { url: string; paths: readonly string[]; readers: number; pauseMs: number }) {
    this.#ended = Promise.all(Array.from({ length: options.readers }, async (_, index) => this.#read(options, index)));
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#ended;
  }

  async #read(
    { url, paths, pauseMs }: { url: string; paths: readonly string[]; pauseMs: number },
    first: number,
  ): Promise<void> {
    for (let index = first; !this.#isStopping; index += 1) {
      const path = paths[index % paths.length] ?? '/';
      const at = Date.now();
      const outcome = await fetch(`${url}${path}`, { redirect: 'manual' }).then(
        async (response) => {
          await response.arrayBuffer();
          return response.status === 200 ? undefined : String(response.status);
        },
        (error: unknown) => (error instanceof Error ? error.message : 'unknown error'),
      );
      this.count += 1;
      if (outcome !== undefined) this.failures.push({ path, outcome, at, until: Date.now() });
      await wait(pauseMs);
    }
  }
}
