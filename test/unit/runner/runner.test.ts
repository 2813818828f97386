import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Assigned, runBatch } from '../../runner/batch.ts';
import type { TestResult } from '../../runner/reporter.ts';

const file = fileURLToPath(new URL('uncaught-errors.ts', import.meta.url));

describe('the runner of tests', () => {
  it('fails the test during which an error is not caught, and names the error', async () => {
    const results: TestResult[] = [];
    const files: Assigned[] = [{ file }];
    const next = (): Promise<Assigned | undefined> => Promise.resolve(files.shift());
    assert.equal(await runBatch(next, process.env, (result) => void results.push(result)), undefined);
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
});
