import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Temporal } from 'temporal-polyfill';
import { type StreakUnit, toStreaks } from '../../../src/contributions/calendar/streaks.ts';

/** @param present a Friday by default. */
function lengths(
  days: readonly string[],
  rules: { unit?: StreakUnit; daysOff?: number[]; present?: string; isOver?: boolean } = {},
) {
  const { unit = 'day', daysOff = [], present = '2026-11-20', isOver = false } = rules;
  const { current, longest } = toStreaks(days, {
    from: '2026-10-01',
    end: Temporal.PlainDate.from(present),
    isOver,
    unit,
    daysOff: new Set(daysOff),
  });
  return [current.length, longest.length];
}

describe('streaks', () => {
  it('go on until a whole day without contributions is over', () => {
    assert.deepEqual(lengths([]), [0, 0]);
    assert.deepEqual(lengths(['2026-11-18', '2026-11-19']), [2, 2]);
    assert.deepEqual(lengths(['2026-11-19', '2026-11-20']), [2, 2]);
    assert.deepEqual(lengths(['2026-11-17', '2026-11-18']), [0, 2]);
    // A host can be a day ahead.
    assert.deepEqual(lengths(['2026-11-20', '2026-11-21']), [2, 2]);
  });

  it('end with a past window whose last day or week has no contributions', () => {
    const days = ['2026-11-18', '2026-11-19'];
    assert.deepEqual(lengths(days, { isOver: true }), [0, 2]);
    assert.deepEqual(lengths([...days, '2026-11-20'], { isOver: true }), [3, 3]);
    assert.deepEqual(lengths(days, { isOver: true, daysOff: [5] }), [2, 2]);
    assert.deepEqual(lengths(['2026-11-12'], { isOver: true, unit: 'week' }), [0, 1]);
    assert.deepEqual(lengths(['2026-11-12'], { unit: 'week' }), [1, 1]);
  });

  it('name the first and the last day of the longest one', () => {
    const days = ['2026-10-05', '2026-10-06', '2026-10-07', '2026-11-20'];
    const found = toStreaks(days, {
      from: '2026-10-01',
      end: Temporal.PlainDate.from('2026-11-20'),
      isOver: false,
      unit: 'day',
      daysOff: new Set(),
    });
    assert.deepEqual(found.longest, { length: 3, from: '2026-10-05', until: '2026-10-07' });
    assert.deepEqual(found.current, { length: 1, from: '2026-11-20', until: '2026-11-20' });
  });

  it('pass over days off, which count only with contributions', () => {
    const workdays = ['2026-11-12', '2026-11-13', '2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19'];
    assert.deepEqual(lengths(workdays), [4, 4]);
    assert.deepEqual(lengths(workdays, { daysOff: [6, 7] }), [6, 6]);
    assert.deepEqual(lengths([...workdays, '2026-11-14'], { daysOff: [6, 7] }), [7, 7]);
  });

  it('count weeks from Monday, of which one contribution is enough', () => {
    const days = ['2026-10-26', '2026-11-08', '2026-11-12'];
    assert.deepEqual(lengths(days, { unit: 'week' }), [3, 3]);
    assert.deepEqual(lengths(days, { unit: 'week', present: '2026-11-23' }), [0, 3]);
    assert.deepEqual(lengths(['2026-10-05', ...days], { unit: 'week' }), [3, 3]);
  });
});
