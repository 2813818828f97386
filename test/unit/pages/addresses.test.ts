import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withQuery } from '../../../src/views/pages/layout/addresses.ts';

describe('withQuery', () => {
  it('adds nothing without parameters', () => {
    assert.equal(withQuery('/github/ada', {}), '/github/ada');
  });

  it('encodes parameters as forms do', () => {
    const values = [
      '',
      'svg',
      'last-365d',
      'a_b.c*d',
      'two words',
      'a+b',
      "it's",
      'a&b=c',
      '(1)!~',
      'ä',
      '日本',
      '%',
      '#',
      '?',
      '/',
    ];
    for (const value of values) {
      for (const query of [{ value }, { first: 'plain', value }, { value, last: '1' }, { [`name ${value}`]: value }]) {
        assert.equal(withQuery('/x', query), `/x?${new URLSearchParams(query).toString()}`);
      }
    }
  });
});
