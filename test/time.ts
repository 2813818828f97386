import { setTimeout as wait } from 'node:timers/promises';

const patienceMs = 60_000;
const pollMs = 50;

/** Calls a function repeatedly until it returns a value. */
export async function until<Result>(
  poll: () => Promise<Result | undefined>,
  what: string,
  withinMs = patienceMs,
): Promise<Result> {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline) {
    const seen = await poll();
    if (seen !== undefined) return seen;
    await wait(pollMs);
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
