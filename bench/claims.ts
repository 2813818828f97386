import { readdirSync, readFileSync } from 'node:fs';
import type { BenchResult } from './bench-result.ts';

/** Returns the names of the claims of a folder: its files that export `run`. */
export function findClaims(folder: URL): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && isClaim(readFileSync(new URL(file, folder), 'utf8')))
    .map((file) => file.slice(0, -'.ts'.length))
    .toSorted();
}

/** Decides by the text of a file, because loading all claims takes seconds. */
function isClaim(text: string): boolean {
  return /^export (?:(?:async )?function|const) run\b/m.test(text);
}

/**
 * Runs claims. A claim that fails does not prevent the others.
 * @param options.atOnce the number of claims that run at the same time.
 * @param options.onResult receives each result as soon as its claim has ended.
 * @returns the errors of the claims that failed.
 */
export async function runClaims(
  folder: URL,
  names: readonly string[],
  { atOnce, onResult }: { atOnce: number; onResult: (result: BenchResult) => void },
): Promise<{ claim: string; error: unknown }[]> {
  const failures: { claim: string; error: unknown }[] = [];
  const queue = names.values();
  const worker = async (): Promise<void> => {
    for (const claim of queue) {
      try {
        const { run } = (await import(new URL(`${claim}.ts`, folder).href)) as { run: () => Promise<BenchResult[]> };
        for (const result of await run()) onResult(result);
      } catch (error) {
        failures.push({ claim, error });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return failures;
}

/**
 * Compares the results of all claims with the table of a README.
 * @returns a line for each result that only one of them has, with its goal.
 */
export function compareWithTable(results: readonly BenchResult[], readme: string): string[] {
  const documented = new Set(
    [...readme.matchAll(/^\| ([\w-]+) \| -?[\d.]+ \| (\S+) \|/gm)].map(([, ...row]) => row.join(' ')),
  );
  const measured = new Set(results.map(({ name, goal }) => `${name} ${goal}`));
  return [
    ...[...measured]
      .filter((row) => !documented.has(row))
      .map((row) => `no row of the table has the name and goal ${row}`),
    ...[...documented].filter((row) => !measured.has(row)).map((row) => `no claim measures ${row}, a row of the table`),
  ];
}

/** Returns a line for each goal about blocks that a result misses. */
export function findMissed(results: readonly BenchResult[]): string[] {
  return results
    .filter((result) => result.isOfBlocks && isMissed(result))
    .map(
      ({ name, ratio, goal, baseline, detail }) =>
        `${name} is ${ratio.toFixed(3)}, not ${goal}: ${detail}; ${baseline}`,
    );
}

function isMissed({ ratio, goal }: BenchResult): boolean {
  const limit = Number(goal.slice('>='.length));
  if (goal.startsWith('<=')) return ratio > limit;
  return goal.startsWith('>=') && ratio < limit;
}
