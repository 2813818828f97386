/** The most statements of each kind in one run of a job, after which it lets other jobs run. */
const maxBatches = 50;

/**
 * Repeats a statement that does a part of some work, each in a transaction of its own, until it finds nothing more.
 * @returns `more` when some may be left for the next run.
 */
export async function inBatches(doSome: () => Promise<number>, limit = maxBatches): Promise<'done' | 'more'> {
  for (let batch = 0; batch < limit; batch += 1) if ((await doSome()) === 0) return 'done';
  return 'more';
}
