/**
 * Does work at intervals, one run at a time: a turn is skipped while the run before it has not ended.
 * @param work handles its own errors; one that it does not handle ends the process.
 * @returns a function that stops it.
 */
export function repeatEvery(everyMs: number, work: () => Promise<void>): () => void {
  let isWorking = false;
  const timer = setInterval(() => {
    if (isWorking) return;
    isWorking = true;
    void work().finally(() => (isWorking = false));
  }, everyMs);
  return () => clearInterval(timer);
}
