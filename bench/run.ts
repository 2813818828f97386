import { readdirSync } from 'node:fs';
import type { BenchResult } from './bench-result.ts';

/**
 * Runs claims and prints a line for each: `npm run -s bench -- NAME...`; without a name, all. A claim is a file of this
 * folder that exports `run`.
 */

const parts = new Set(['run.ts', 'bench-result.ts', 'bench-service.ts', 'load.ts']);
const claims = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.ts') && !parts.has(file))
  .map((file) => file.slice(0, -'.ts'.length))
  .toSorted();
const requested = process.argv.slice(2);
const unknown = requested.filter((name) => !claims.includes(name));
if (unknown.length > 0) {
  console.error(`there is no claim ${unknown.join(', ')}; those that are: ${claims.join(', ')}`);
  process.exit(1);
}
for (const name of requested.length > 0 ? requested : claims) {
  const { run } = (await import(`./${name}.ts`)) as { run: () => Promise<BenchResult[]> };
  for (const result of await run()) console.log(toLine(result));
}

function toLine({ name, ratio, goal, baseline, detail }: BenchResult): string {
  const line = `${name} ratio=${ratio.toFixed(2)} goal${goal} baseline="${baseline}"`;
  return detail === undefined ? line : `${line} (${detail})`;
}
