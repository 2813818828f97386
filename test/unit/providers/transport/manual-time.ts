/** A clock with timers that tests move; each timer fires at its exact time. */
export interface ManualTime {
  now: () => Date;
  startTimer: (callback: () => void, ms: number) => () => void;
  /** The times of the timers that run, in ms since the start. */
  timers: () => number[];
  /** Moves the clock, and lets the work that this wakes proceed. */
  advance: (ms: number) => Promise<void>;
}

export function manualTime(): ManualTime {
  const begun = Date.parse('2026-06-15T12:00:00Z');
  let at = 0;
  const timers = new Set<{ at: number; callback: () => void }>();
  return {
    now: () => new Date(begun + at),
    startTimer: (callback, ms) => {
      const timer = { at: at + ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    timers: () => [...timers].map((timer) => timer.at),
    advance: async (ms) => {
      const end = at + ms;
      for (;;) {
        const [next] = [...timers].filter((timer) => timer.at <= end).toSorted((left, right) => left.at - right.at);
        if (next === undefined) break;
        at = next.at;
        timers.delete(next);
        next.callback();
        await waitUntilIdle();
      }
      at = end;
      await waitUntilIdle();
    },
  };
}

/** Lets all work proceed that waits for nothing but other work. */
export function waitUntilIdle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
