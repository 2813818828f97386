type Fetch = typeof globalThis.fetch;

/**
 * Statuses of responses that can change: the data is being collected (202), a limit is used up (429), the code host or
 * the service is not available (503).
 */
const temporary: ReadonlySet<number> = new Set([202, 429, 503]);

/**
 * Returns a `fetch` that repeats a request while its response has a temporary status and a `Retry-After` of seconds.
 * @param maxWaitMs the longest time that it waits in all for one request; a longer `Retry-After` is not waited for.
 */
export function patientFetch(fetch: Fetch, maxWaitMs: number): Fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const endsAt = Date.now() + maxWaitMs;
    for (;;) {
      const response = await fetch(request.clone());
      const waitMs = Number(response.headers.get('retry-after')) * 1000;
      if (!temporary.has(response.status) || !(waitMs > 0) || Date.now() + waitMs > endsAt) return response;
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
