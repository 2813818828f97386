import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { nearest } from '../src/model/text.ts';
import { pickPart } from '../test/depth.ts';
import { useMemoryForTemporaryFiles } from '../test/memory-directory.ts';
import type { BenchResult } from './bench-result.ts';
import { compareWithTable, findClaims, findMissed, runClaims } from './claims.ts';
import { isSmallest, sized } from './size.ts';

/**
 * Runs claims and prints a line for each: `npm run -s bench -- NAME...`; without a name, all. A claim is a file of this
 * folder that exports `run`. `--smallest` runs them at sizes that only prove that they work, two at a time.
 */

const folder = new URL('.', import.meta.url);
const { positionals } = parseArgs({ allowPositionals: true, options: { smallest: { type: 'boolean' } } });
const claims = findClaims(folder);
for (const name of positionals.filter((word) => !claims.includes(word))) {
  const meant = nearest(name, claims);
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  console.error(`There is no claim ${name}.${hint} The claims are ${claims.join(', ')}.`);
  process.exit(1);
}
// Numbers that mean something need the disk that a service has.
if (isSmallest) useMemoryForTemporaryFiles();
if (isSmallest) console.log('The sizes are the smallest: the claims are only run, and their numbers mean nothing.');
const results: BenchResult[] = [];
const wanted = positionals.length > 0 ? positionals : pickPart(claims);
const failures = await runClaims(folder, wanted, {
  atOnce: sized(1, 2),
  onResult: (result) => {
    results.push(result);
    console.log(toLine(result));
  },
});
for (const { claim, error } of failures) console.error(`✖ ${claim}:`, error);
const missed = isSmallest ? [] : findMissed(results);
for (const line of missed) console.error(`✖ ${line}`);
const differences =
  wanted.length < claims.length || failures.length > 0
    ? []
    : compareWithTable(results, readFileSync(new URL('README.md', folder), 'utf8'));
for (const difference of differences) console.error(`✖ bench/README.md: ${difference}`);
process.exitCode = failures.length + missed.length + differences.length > 0 ? 1 : 0;

function toLine({ name, ratio, goal, baseline, detail }: BenchResult): string {
  const line = `${name} ratio=${ratio.toFixed(2)} goal ${goal} baseline="${baseline}"`;
  return detail === undefined ? line : `${line} (${detail})`;
}
