import { setTimeout as wait } from 'node:timers/promises';

const patienceMs = 60_000;
/** The interval, in ms, of checks without progress, because other processes report none. */
const longestMs = 100;
/** The time, in ms, in which a node receives the changes of a job that has ended. */
const spreadMs = 10;

let progress = Promise.withResolvers<void>();

/** Makes all waiting calls of `until` check again: a job has ended, or a request has arrived. */
export function reportProgress(): void {
  progress.resolve();
  progress = Promise.withResolvers<void>();
}

/** Calls a function after each progress of a service until it returns a value other than false. @param condition completes “it never happened that …” in the error. */
export async function until<Result>(
  check: () => Promise<Result | false | undefined>,
  condition: string,
  withinMs = patienceMs,
): Promise<Result> {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline) {
    const next = progress.promise;
    const found = await check();
    if (found !== undefined && found !== false) return found;
    const timer = new AbortController();
    await Promise.race([next.then(() => wait(spreadMs)), wait(longestMs, undefined, { signal: timer.signal })]);
    timer.abort();
  }
  throw new Error(`it never happened that ${condition}`);
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
