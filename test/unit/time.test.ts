import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../time.ts';

describe('until', () => {
  it('waits on while the check returns false', async () => {
    const results = [false, undefined, 'found'];
    assert.equal(await until(async () => results.shift(), 'something is found'), 'found');
  });
});
