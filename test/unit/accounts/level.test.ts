import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toLevel } from '../../../src/model/level.ts';

describe('levels', () => {
  it('begin at the published thresholds', () => {
    assert.equal(toLevel(0), 0);
    for (let level = 1; level <= 50; level += 1) {
      const threshold = 100 * (level - 1) ** 2;
      assert.equal(toLevel(Math.max(1, threshold)), level);
      assert.equal(toLevel(100 * level ** 2 - 1), level);
    }
  });

  it('are 2 for the documented experience of 284', () => {
    assert.equal(toLevel(284), 2);
  });
});
