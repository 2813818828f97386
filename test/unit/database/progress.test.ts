import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Progress } from '../../../src/database/queue/listener.ts';

describe('the log that reads of a node need', () => {
  it('ends at the last announced change', () => {
    const progress = new Progress({ at: 100, lsn: 1000 });
    assert.equal(progress.neededLsn, 1000);
    progress.add({ at: 100.1, lsn: 1100 }, { isChanged: false });
    assert.equal(progress.neededLsn, 1000);
    progress.add({ at: 100.2, lsn: 1200 }, { isChanged: true });
    assert.equal(progress.neededLsn, 1200);
  });

  it('includes changes that are not announced after one to two seconds', () => {
    const progress = new Progress({ at: 100, lsn: 1000 });
    for (let tick = 1; tick <= 100; tick += 1) {
      const at = 100 + tick / 10;
      progress.add({ at, lsn: at * 10 }, { isChanged: false });
      const needed = progress.neededLsn / 10;
      assert.ok(needed <= Math.max(100, at - 0.9) && needed >= at - 2.1, `at ${at}: ${needed}`);
    }
  });

  it('begins again where a standby that became the primary is', () => {
    const progress = new Progress({ at: 100, lsn: 1000 });
    progress.add({ at: 102, lsn: 1200 }, { isChanged: true });
    assert.equal(new Progress({ at: 103, lsn: 1100 }).neededLsn, 1100);
  });
});
