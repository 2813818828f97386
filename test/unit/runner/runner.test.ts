import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Assigned, runBatch } from '../../runner/batch.ts';
import type { TestResult } from '../../runner/reporter.ts';

/** Returns the results of the tests in a file of this folder. */
async function run(name: string): Promise<TestResult[]> {
  const results: TestResult[] = [];
  const files: Assigned[] = [{ file: fileURLToPath(new URL(name, import.meta.url)) }];
  const next = (): Promise<Assigned | undefined> => Promise.resolve(files.shift());
  assert.equal(await runBatch(next, process.env, (result) => void results.push(result)), undefined);
  return results;
}

describe('the runner of tests', () => {
  it('fails the test during which an error is not caught, and names the error', async () => {
    const results = await run('uncaught-errors.ts');
    assert.deepEqual(
      results.map(({ titles, outcome, error }) => [titles.at(-1), outcome, error?.split('\n')[0]]),
      [
        ['passes', 'passed', undefined],
        ['throws in a timer', 'failed', 'Error: thrown in a timer'],
        ['rejects a promise', 'failed', 'Error: rejected without a handler'],
        ['passes afterwards', 'passed', undefined],
      ],
    );
  });

  it('names each suite and each test that did not run, with the reason', async () => {
    const results = await run('skipped.ts');
    assert.deepEqual(
      results.map(({ titles, outcome, reason }) => [titles.join(' › '), outcome, reason]),
      [
        ['suites that do not run', 'skipped', 'it needs another machine'],
        ['suites that run › has a test that does not run', 'skipped', 'it takes too long'],
        ['suites that run › has a test that runs', 'passed', undefined],
      ],
    );
  });
});
