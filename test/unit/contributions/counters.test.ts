import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { completeCounters, experienceOf, unknownCounters } from '../../../src/contributions/counters.ts';

const documented = {
  commits: 197,
  issues: 7,
  pull_requests: 17,
  reviews: 13,
  stars: 9,
  contributed_to: 24,
  issues_closed: 2,
  pull_requests_merged: 14,
  discussions: 1,
  discussions_answered: 0,
};

describe('counters', () => {
  it('calculates experience as the sum of the ten counters', () => {
    assert.equal(experienceOf(documented), 284);
    assert.equal(experienceOf({ ...documented, commits: null }), 284 - 197);
    assert.equal(experienceOf(unknownCounters), 0);
  });

  it('keeps a sum over repositories only where every kind that it needs is known', () => {
    const { counters, missing } = completeCounters(documented, ['review', 'discussion']);
    assert.deepEqual(missing, ['reviews', 'contributed_to', 'discussions', 'discussions_answered']);
    assert.equal(counters.commits, 197);
    assert.equal(counters.stars, 9);
    assert.ok(!('reviews' in counters) && !('contributed_to' in counters));
    assert.deepEqual(completeCounters(documented, []), { counters: documented, missing: [] });
  });
});
