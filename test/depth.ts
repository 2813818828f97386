/**
 * The number of cases that a test run tries. `npm test` tries a fixed sample where a test has many cases of the same
 * kind; `npm run verify`, which sets TEST_DEPTH=all, tries every case.
 */
export const isThorough = process.env['TEST_DEPTH'] === 'all';

/** Returns every `every`-th case, beginning with the first; all of them in a thorough run. */
export function sampled<Case>(cases: readonly Case[], every: number): Case[] {
  return cases.filter((_, index) => isThorough || index % every === 0);
}
