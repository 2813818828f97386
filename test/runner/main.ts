import { globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { withTestServer } from '../database-server.ts';
import { partOf } from '../depth.ts';
import { checkCaptured } from '../statements/check.ts';
import { runBatch } from './batch.ts';
import type { TestResult } from './reporter.ts';

/**
 * Runs the tests: `npm test` for all but the long tier, or `npm test -- accounts history` for the files whose path
 * contains one of the words. All of them use one PostgreSQL server, each test databases of its own: an embedded server in a temporary directory, whose
 * version TEST_POSTGRES=15 selects, or the one that DATABASE_URL names. Unit tests need none. Files run in batches, each
 * batch in one process, because loading the sources takes longer than most tests.
 */

const longTier = 'test/long/';
const words = process.argv.slice(2);
const wanted = globSync('test/**/*.test.ts')
  .filter((file) => (words.length === 0 ? !file.startsWith(longTier) : words.some((word) => file.includes(word))))
  .toSorted();
const sample = partOf(wanted.filter((file) => file.startsWith(longTier)));
const files = wanted.filter((file) => !file.startsWith(longTier) || sample.includes(file));
if (files.length === 0) {
  console.error(`no test file has ${words.join(' or ')} in its path`);
  process.exit(1);
}

/** One more than cores, because tests also wait for timers. With two more, all tests took longer. */
const processes = availableParallelism() + 1;
/** The most files in a batch: see `batches`. */
const most = { long: 1, service: 43, unit: 31 };
const slowestShown = 10;
/** Compiled sources, which the benches use as well: compiling takes a process twice the time of loading. */
const compiledSources = resolve('node_modules/.cache/compiled');
const startedAt = performance.now();
const results: TestResult[] = [];
const broken: string[] = [];

if (files.every((file) => file.startsWith('test/unit/'))) await runBatches({ ...process.env, DATABASE_URL: undefined });
else {
  await withTestServer((server) => runBatches({ ...process.env, DATABASE_URL: undefined, ...server }));
}
summarize();
process.exitCode = broken.length > 0 || results.some(({ outcome }) => outcome === 'failed') ? 1 : 0;

async function runBatches(given: NodeJS.ProcessEnv): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'plaudit-statements-'));
  const environment = { NODE_COMPILE_CACHE: compiledSources, TEST_STATEMENTS: directory, ...given };
  const queue = batches().values();
  const worker = async (): Promise<void> => {
    for (const batch of queue) {
      const fault = await runBatch(batch, environment, show);
      if (fault !== undefined) broken.push(fault);
    }
  };
  await Promise.all(Array.from({ length: processes }, worker));
  const { statements, problems } = await checkCaptured(directory);
  await rm(directory, { recursive: true });
  console.log(`${statements} statements about the tables that are divided by repository`);
  broken.push(...problems);
}

/**
 * Returns the batches in the order in which they start: those that take long first, so that all processes end at about
 * the same time. Small batches end at about the same time, and large ones load the sources less often, which takes a
 * process three to five seconds of processor time. A batch has end-to-end tests, which mostly wait, as well as
 * integration tests, which mostly calculate: processes that all wait would leave processors unused.
 */
function batches(): string[][] {
  const ofTier = (...folders: string[]): string[] =>
    folders.flatMap((folder) => files.filter((file) => file.startsWith(folder)));
  return [
    ...divide(ofTier(longTier), most.long),
    ...divide(ofTier('test/e2e/', 'test/integration/'), most.service),
    ...divide(ofTier('test/unit/'), most.unit),
  ];
}

/** Divides files among batches, neighbours into different ones: files of one folder often take equally long. */
function divide(ofTier: string[], limit: number): string[][] {
  const size = Math.max(1, Math.min(limit, Math.ceil(ofTier.length / processes)));
  const count = Math.ceil(ofTier.length / size);
  return Array.from({ length: count }, (_, index) => {
    const batch = ofTier.filter((_file, position) => position % count === index);
    // Not all processes begin with the tests that mostly wait.
    return index % 2 === 0 ? batch : batch.toReversed();
  });
}

function show(result: TestResult): void {
  results.push(result);
  const signs = { passed: '✔', failed: '✖', skipped: '﹣' };
  console.log(`${signs[result.outcome]} ${describe(result)}`);
}

function describe({ titles, durationMs }: TestResult): string {
  return `${titles.join(' › ')} (${Math.round(durationMs)} ms)`;
}

function summarize(): void {
  const slowest = results.toSorted((one, other) => other.durationMs - one.durationMs).slice(0, slowestShown);
  console.log(`\nslowest:\n${slowest.map((result) => `  ${describe(result)}`).join('\n')}`);
  for (const result of results.filter(({ outcome }) => outcome === 'failed')) {
    console.log(`\n✖ ${describe(result)}\n  ${relative(process.cwd(), result.file)}\n${result.error ?? ''}`);
  }
  for (const fault of broken) console.log(`\n✖ ${fault}`);
  const count = (wanted: TestResult['outcome']): number => results.filter(({ outcome }) => outcome === wanted).length;
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`\n${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped in ${seconds} s`);
}
