import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { distanceBetween, nearest } from '../../../src/model/text.ts';

describe('the distance between names', () => {
  it('is counted to its end up to a limit, and greater than the limit otherwise', () => {
    const words = ['', 'a', 'labels', 'lables', 'label', 'slabel', 'baells', 'created_at', 'craeted_ta', 'merged_at'];
    for (const one of words) {
      for (const other of words) {
        const distance = distanceBetween(one, other);
        for (const most of [0, 1, 2, 3, 4]) {
          const counted = distanceBetween(one, other, most);
          if (distance <= most) assert.equal(counted, distance, `${one} ${other} ${most}`);
          else assert.ok(counted > most, `${one} ${other} ${most}`);
        }
      }
    }
  });

  it('chooses the closest candidate, and the first of two that are as close', () => {
    assert.equal(nearest('labls', ['lines', 'labels', 'label']), 'labels');
    assert.equal(nearest('abcd', ['abce', 'abcf']), 'abce');
    assert.equal(nearest('abcf', ['abce', 'abcf']), 'abcf');
  });
});
