import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Assigned, runBatch } from '../../runner/batch.ts';
import type { TestResult } from '../../runner/reporter.ts';

const file = fileURLToPath(new URL('undescribed-response.ts', import.meta.url));

describe('validation of responses against /openapi.json', () => {
  it('fails a test during which a service sends an undescribed response, also from a process that is killed', async () => {
    const results: TestResult[] = [];
    // The faults fail the inner tests alone: the process of this test does not pass on its options.
    const environment = { ...process.env, NODE_OPTIONS: '' };
    const files: Assigned[] = [{ file }];
    const next = (): Promise<Assigned | undefined> => Promise.resolve(files.shift());
    assert.equal(await runBatch(next, environment, (result) => void results.push(result)), undefined);
    const fault = '/openapi.json does not describe what the service sent: GET';
    assert.deepEqual(
      results.map(({ outcome, error = '' }) => [outcome, error.trim()]),
      [
        ['passed', ''],
        ['failed', `${fault} /readyz 200: the header x-undescribed is not described`],
        ['failed', `${fault} /healthz 200: the header x-undescribed is not described`],
      ],
    );
  });
});
