import { readdirSync, readFileSync } from 'node:fs';
import type { BenchResult } from './bench-result.ts';

/**
 * Runs claims and prints a line for each: `npm run -s bench -- NAME...`; without a name, all. A claim is a file of this
 * folder that exports `run`.
 */

const folder = new URL('.', import.meta.url);
const claims = readdirSync(folder)
  .filter((file) => file.endsWith('.ts') && isClaim(readFileSync(new URL(file, folder), 'utf8')))
  .map((file) => file.slice(0, -'.ts'.length))
  .toSorted();
const requested = process.argv.slice(2);
const unknown = requested.filter((name) => !claims.includes(name));
if (unknown.length > 0) {
  console.error(`There is no claim ${unknown.join(', ')}. The claims are ${claims.join(', ')}.`);
  process.exit(1);
}
for (const name of requested.length > 0 ? requested : claims) {
  const { run } = (await import(`./${name}.ts`)) as { run: () => Promise<BenchResult[]> };
  for (const result of await run()) console.log(toLine(result));
}

/** Decides by the text of a file, because loading all claims takes seconds. */
function isClaim(text: string): boolean {
  return /^export async function run\(/m.test(text);
}

function toLine({ name, ratio, goal, baseline, detail }: BenchResult): string {
  const line = `${name} ratio=${ratio.toFixed(2)} goal${goal} baseline="${baseline}"`;
  return detail === undefined ? line : `${line} (${detail})`;
}
