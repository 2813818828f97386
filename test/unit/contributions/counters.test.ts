import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { missingCounters, sumExperience, unknownCounters } from '../../../src/model/counters.ts';

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
    assert.equal(sumExperience(documented), 284);
    assert.equal(sumExperience({ ...documented, commits: null }), 284 - 197);
    assert.equal(sumExperience(unknownCounters), 0);
  });

  it('are missing where a kind that they need is not completely known', () => {
    const missing = missingCounters(['review', 'discussion']);
    assert.deepEqual(missing, ['reviews', 'contributed_to', 'discussions', 'discussions_answered']);
    assert.deepEqual(missingCounters([]), []);
  });
});
