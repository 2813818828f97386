import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestDatabase } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { compete } from './competing-jobs.ts';

const durationMs = isThorough ? 60_000 : 2000;

describe('jobs that write about the same data', () => {
  it('run at the same time without a deadlock, and leave right sums', async () => {
    await using database = await createTestDatabase();
    let end: number | undefined;
    const { jobs, reports, ...found } = await compete(database, () => {
      end ??= performance.now() + durationMs;
      return performance.now() >= end;
    });
    assert.deepEqual(
      found,
      { deadlocks: 0, different: [], miscounted: 0 },
      `${JSON.stringify(jobs)}\n${reports.join('\n')}`,
    );
  });
});
