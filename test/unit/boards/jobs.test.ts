import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rankBoardJob } from '../../../src/recognition/boards/jobs.ts';

describe('scheduling of rankings', () => {
  const toDelay = (costMs: number, rankedMsAgo: number | null): number =>
    rankBoardJob({ id: 'board', costMs, rankedMsAgo }).delayMs ?? 0;

  it('starts a ranking at once after a quick one, a long pause, or none', () => {
    assert.deepEqual([toDelay(20, 0), toDelay(5000, 3_600_000), toDelay(5000, null)], [0, 0, 0]);
  });

  it('waits ten times as long as the last ranking took, a minute at most, from its end', () => {
    assert.deepEqual([toDelay(200, 200), toDelay(200, 700), toDelay(9000, 9000)], [2000, 1500, 60_000]);
    // A clock that was set back does not make it rest longer.
    assert.equal(toDelay(200, -10_000), 2000);
  });
});
