import { globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { withTestServer } from '../database-server.ts';
import { pickPart } from '../depth.ts';
import { useMemoryForTemporaryFiles } from '../memory-directory.ts';
import { checkCaptured } from '../statements/check.ts';
import { type Assigned, runBatch } from './batch.ts';
import type { TestResult } from './reporter.ts';

/**
 * Runs the tests: `npm test` for all but the long tier, or `npm test -- accounts history` for the files whose path
 * contains one of the words. All of them use one PostgreSQL server, each test databases of its own: an embedded server in a temporary directory, whose
 * version TEST_POSTGRES=15 selects, or the one that DATABASE_URL names. Unit tests need none. Each
 * process runs many files, because loading the sources takes longer than most tests.
 */

const longTier = 'test/long/';
const unitTier = 'test/unit/';
const words = process.argv.slice(2);
const selectedFiles = globSync('test/**/*.test.ts')
  .filter((file) => (words.length === 0 ? !file.startsWith(longTier) : words.some((word) => file.includes(word))))
  .toSorted();
const sample = pickPart(selectedFiles.filter((file) => file.startsWith(longTier)));
const files = selectedFiles.filter((file) => !file.startsWith(longTier) || sample.includes(file));
if (files.length === 0) {
  console.error(`no test file has ${words.join(' or ')} in its path`);
  process.exit(1);
}

/** The number of processes: one more than cores, because tests also wait for timers. With two more, all tests took longer. */
const processes = availableParallelism() + 1;
/** Files that are neighbours by name, which often take equally long, run this share of all files apart. */
const spreading = 7;
const slowestShown = 10;
/** Compiled sources, which the benches use as well: compiling takes a process twice the time of loading. */
const compiledSources = resolve('node_modules/.cache/compiled');
const startedAt = performance.now();
const results: TestResult[] = [];
const broken: string[] = [];

/** The environment variables of the server; rejected when it cannot start. */
const server = Promise.withResolvers<Record<string, string>>();
server.promise.catch(() => {});
let isServerReady = false;

if (files.every((file) => file.startsWith(unitTier))) await runBatches();
else {
  useMemoryForTemporaryFiles();
  const ran = runBatches();
  const served = withTestServer(async (environment) => {
    isServerReady = true;
    server.resolve(environment);
    await ran;
  });
  served.catch(server.reject);
  await Promise.all([served, ran]);
}
summarize();
process.exitCode = broken.length > 0 || results.some(({ outcome }) => outcome === 'failed') ? 1 : 0;

async function runBatches(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'plaudit-statements-'));
  const environment = {
    ...process.env,
    DATABASE_URL: undefined,
    NODE_COMPILE_CACHE: compiledSources,
    TEST_STATEMENTS: directory,
  };
  const { long, unit, others } = inOrder();
  const run = async (next: () => Promise<Assigned | undefined>): Promise<void> => {
    const fault = await runBatch(next, environment, show);
    if (fault !== undefined) broken.push(fault);
  };
  /** Unit tests need no server, so they run while it starts, and at the end. */
  const nextOfMany = async (): Promise<Assigned | undefined> => {
    if (!isServerReady && unit.length > 0) return { file: unit.shift() ?? '' };
    const file = others.shift();
    if (file !== undefined) return { file, environment: await server.promise };
    const last = unit.shift();
    return last === undefined ? undefined : { file: last };
  };
  const worker = async (): Promise<void> => {
    for (let file = long.shift(); file !== undefined; file = long.shift()) {
      const one: Assigned[] = [{ file, environment: await server.promise }];
      await run(() => Promise.resolve(one.shift()));
    }
    await run(nextOfMany);
  };
  await Promise.all(Array.from({ length: Math.min(processes, files.length) }, worker));
  const { statements, problems } = await checkCaptured(directory);
  await rm(directory, { recursive: true });
  console.log(`${statements} statements about the tables that are divided by repository`);
  broken.push(...problems);
}

/**
 * Returns the files in the order in which processes that are free take them: those that take long first, so that all
 * processes end at about the same time. A file of the long tier has a process of its own; the others share processes,
 * because loading the sources takes three seconds of processor time. End-to-end tests, which mostly wait, are spread
 * among tests of stores, which mostly calculate: processes that all wait would leave processors unused.
 */
function inOrder(): Record<'long' | 'unit' | 'others', string[]> {
  const long = files.filter((file) => file.startsWith(longTier));
  const unit = files.filter((file) => file.startsWith(unitTier));
  const withServices = files.filter((file) => !long.includes(file) && !unit.includes(file));
  const others = Array.from({ length: spreading }, (_, first) =>
    withServices.filter((_file, position) => position % spreading === first),
  ).flat();
  return { long, unit, others };
}

function show(result: TestResult): void {
  results.push(result);
  const signs = { passed: '✔', failed: '✖', skipped: '﹣' };
  const reason = result.reason === undefined ? '' : `: ${result.reason}`;
  console.log(`${signs[result.outcome]} ${describe(result)}${reason}`);
}

function describe({ titles, durationMs }: TestResult): string {
  return `${titles.join(' › ')} (${Math.round(durationMs)} ms)`;
}

function summarize(): void {
  const slowest = results.toSorted((left, right) => right.durationMs - left.durationMs).slice(0, slowestShown);
  console.log(`\nslowest:\n${slowest.map((result) => `  ${describe(result)}`).join('\n')}`);
  for (const result of results.filter(({ outcome }) => outcome === 'failed')) {
    console.log(`\n✖ ${describe(result)}\n  ${relative(process.cwd(), result.file)}\n${result.error ?? ''}`);
  }
  for (const fault of broken) console.log(`\n✖ ${fault}`);
  const count = (countedOutcome: TestResult['outcome']): number =>
    results.filter(({ outcome }) => outcome === countedOutcome).length;
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`\n${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped in ${seconds} s`);
}
