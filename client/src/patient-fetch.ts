type Fetch = typeof globalThis.fetch;

/**
 * The statuses that pass: nothing is known yet (202), a limit is used up (429), the code host or the service is not
 * available (503).
 */
const passing: ReadonlySet<number> = new Set([202, 429, 503]);

/**
 * Returns a `fetch` that repeats a request for as long as its response says that another one will follow, in
 * `Retry-After`.
 * @param maxWaitMs the longest time that it waits, for all repetitions of a request together.
 */
export function patientFetch(fetch: Fetch, maxWaitMs: number): Fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const endsAt = Date.now() + maxWaitMs;
    for (;;) {
      const response = await fetch(request.clone());
      const waitMs = Number(response.headers.get('retry-after')) * 1000;
      if (!passing.has(response.status) || !(waitMs > 0) || Date.now() + waitMs > endsAt) return response;
      await response.body?.cancel();
      await wait(waitMs, request.signal);
    }
  };
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
  signal.throwIfAborted();
}
