import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { problemsOfLock } from './lock-rules.ts';

/** Checks package-lock.json: `npm run check:lock`. The rules are in lock-rules.ts. */

const read = (name: string): unknown =>
  JSON.parse(readFileSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), 'utf8'));

for (const problem of problemsOfLock(read('package-lock.json'), read('package.json'))) {
  console.log(`package-lock.json: ${problem}`);
  process.exitCode = 1;
}
