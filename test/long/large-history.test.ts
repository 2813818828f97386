import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { findProcesses, waitUntilAsleep } from '../../simulators/git/processes.ts';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { readCommits } from '../../src/hosts/history/read-commits.ts';
import { assertDates, assertTotals, prepareReal, type Sample } from '../integration/history/samples.ts';

describe('the commits of a history of a hundred thousand', () => {
  const stack = new AsyncDisposableStack();
  let rails: Sample;
  before(async () => {
    rails = await prepareReal(stack.use(await makeTemporaryDirectory()), 'rails');
  });
  after(() => stack.disposeAsync());

  it('have the totals per person of git shortlog, co-authors included, and their dates', async () => {
    await assertTotals(rails);
    await assertDates(rails, 'rails');
  });

  it('are not buffered while the consumer is slow', async () => {
    const { copy, tip } = rails;
    const { signal } = new AbortController();
    const garbageCollect = exposeGarbageCollector();
    const sizes: number[] = [];
    let batches = 0;
    for await (const batch of readCommits(copy, { from: null, to: tip }, { signal, batchSize: 1000 })) {
      assert.ok(batch.length > 0);
      batches += 1;
      if (batches === 1) {
        const [git = 0] = await findProcesses(copy);
        await waitUntilAsleep(git);
        assert.deepEqual(await findProcesses(copy), [git], 'nothing held git back');
      }
      if (batches % 10 !== 1) continue;
      garbageCollect();
      const { heapUsed, external } = process.memoryUsage();
      sizes.push(heapUsed + external);
    }
    const growth = (Math.max(...sizes) - (sizes[0] ?? 0)) / 1024 / 1024;
    assert.equal(batches, 100);
    assert.ok(growth < 4, `${growth.toFixed(1)} MiB more`);
  });
});

function exposeGarbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
