import { setTimeout as wait } from 'node:timers/promises';

const patienceMs = 60_000;
/** The time, in ms, after which a caller looks again without any progress: other processes report none. */
const longestMs = 100;
/** The time, in ms, in which a node receives the changes of a job that has ended. */
const spreadMs = 10;

let progress = Promise.withResolvers<void>();

/** Lets everyone who waits for a change of the world look again: a job has ended, or a request has arrived. */
export function reportProgress(): void {
  progress.resolve();
  progress = Promise.withResolvers<void>();
}

/** Calls a function after each progress of a service until it returns a value. */
export async function until<Result>(
  look: () => Promise<Result | undefined>,
  what: string,
  withinMs = patienceMs,
): Promise<Result> {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline) {
    const next = progress.promise;
    const seen = await look();
    if (seen !== undefined) return seen;
    const rested = new AbortController();
    await Promise.race([next.then(() => wait(spreadMs)), wait(longestMs, undefined, { signal: rested.signal })]);
    rested.abort();
  }
  throw new Error(`it never happened that ${what}`);
}

/**
 * Returns a clock that tests move. It begins in the past, because the database has its own clock: a job for a future
 * time would wait.
 */
export function clock(): { now: () => Date; advance: (seconds: number) => void } {
  let at = Date.parse('2026-06-15T12:00:00Z');
  return {
    now: () => new Date(at),
    advance: (seconds) => {
      at += seconds * 1000;
    },
  };
}
