/**
 * The number of cases that a test run tries. `npm test` tries a fixed sample where a test has many cases of the same
 * kind; `npm run verify`, which sets TEST_DEPTH=all, tries every case.
 */
export const isThorough = process.env['TEST_DEPTH'] === 'all';

/** Returns every `every`-th case, beginning with the first; all of them in a thorough run. */
export function sampled<Case>(cases: readonly Case[], every: number): Case[] {
  return cases.filter((_, index) => isThorough || index % every === 0);
}

/**
 * Returns the part of a list that `SAMPLE` selects: with `1/16` each sixteenth case from the second on; without it all. CI runs
 * another part of the long tier and of the claims with each commit.
 */
export function pickPart<Case>(cases: readonly Case[]): Case[] {
  const sample = process.env['SAMPLE'] ?? '0/1';
  const [part = 0, parts = 0] = sample.split('/').map(Number);
  if (!/^\d+\/\d+$/.test(sample) || part >= parts) throw new Error('SAMPLE must be like 0/3, 1/3 or 2/3.');
  return cases.filter((_, index) => index % parts === part);
}
