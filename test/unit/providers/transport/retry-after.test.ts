import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { believable, longestWaitMs, readRetryAfter } from '../../../../src/hosts/transport/limits.ts';

const now = new Date('2026-11-21T12:00:00Z');
const secondsUntil = (header: string | string[] | undefined): number | undefined => {
  const until = readRetryAfter({ 'retry-after': header }, now);
  return until && (until.getTime() - now.getTime()) / 1000;
};

describe('Retry-After', () => {
  for (const [header, seconds] of [
    ['37', 37],
    [' 37 ', 37],
    ['0', 1],
    ['3600', 3600],
    ['3601', 3600],
    ['99999999999', 3600],
    ['9'.repeat(400), 3600],
    ['Sat, 21 Nov 2026 12:02:00 GMT', 120],
    ['Saturday, 21-Nov-26 12:02:00 GMT', 120],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 1],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 3600],
    ['-5', undefined],
    ['1.5', undefined],
    ['', undefined],
    ['soon', undefined],
    ['NaN', undefined],
    ['Infinity', undefined],
    ['2026-11-21', undefined],
    [['1', '2'], undefined],
    [undefined, undefined],
  ] as const) {
    it(`reads Retry-After: ${String(header).slice(0, 40)} as ${seconds ?? 'no known number of'} seconds`, () => {
      assert.equal(secondsUntil(typeof header === 'object' ? [...header] : header), seconds);
    });
  }

  it('keeps a past time, and caps a time that is too far in the future', () => {
    const past = new Date(now.getTime() - 5000);
    assert.deepEqual(believable(past, now), past);
    assert.deepEqual(believable(new Date('5138-11-16T09:46:39Z'), now), new Date(now.getTime() + longestWaitMs));
  });
});
