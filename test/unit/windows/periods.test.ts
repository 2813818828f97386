import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ends, toMessage } from './read.ts';

describe('periods', () => {
  const meanings: [period: string, first: string, next: string][] = [
    ['2026', '2026-01-01', '2027-01-01'],
    ['2026-Q3', '2026-07-01', '2026-10-01'],
    ['2026-q1', '2026-01-01', '2026-04-01'],
    ['2026-10', '2026-10-01', '2026-11-01'],
    ['2026-W42', '2026-10-12', '2026-10-19'],
    ['2026-W01', '2025-12-29', '2026-01-05'],
    ['2026-W53', '2026-12-28', '2027-01-04'],
    ['last-7d', '2026-11-17', '2026-11-24'],
    ['last-30d', '2026-10-25', '2026-11-24'],
    ['last-90d', '2026-08-26', '2026-11-24'],
    ['last-365d', '2025-11-24', '2026-11-24'],
    ['this-week', '2026-11-23', '2026-11-30'],
    ['this-month', '2026-11-01', '2026-12-01'],
    ['this-quarter', '2026-10-01', '2027-01-01'],
    ['this-year', '2026-01-01', '2027-01-01'],
    ['previous-week', '2026-11-16', '2026-11-23'],
    ['previous-month', '2026-10-01', '2026-11-01'],
    ['previous-quarter', '2026-07-01', '2026-10-01'],
    ['previous-year', '2025-01-01', '2026-01-01'],
  ];
  // 28 December 2026 is more than a day ahead of the present.
  const present = new Date('2026-11-23T09:30:00Z');
  for (const [period, first, next] of meanings) {
    it(`reads ${period}`, () => {
      const at = period === '2026-W53' ? new Date('2026-12-27T00:00:00Z') : present;
      assert.deepEqual(ends({ period }, at), [`${first}T00:00:00Z`, `${next}T00:00:00Z`]);
    });
  }

  it('contain the present day of the time zone', () => {
    const newYear = new Date('2026-12-31T23:30:00Z');
    const text = { period: 'this-year', time_zone: 'Europe/Berlin' };
    assert.deepEqual(ends(text, newYear), ['2026-12-31T23:00:00Z', '2027-12-31T23:00:00Z']);
  });

  const refused: [period: string, message: RegExp][] = [
    ['2026-Q5', /did you mean 2026-Q4\?/],
    ['2026-Q0', /did you mean 2026-Q1\?/],
    ['2026-Q03', /did you mean 2026-Q3\?/],
    ['2026-13', /did you mean 2026-12\?/],
    ['2026-00', /did you mean 2026-01\?/],
    ['2025-W53', /did you mean 2025-W52\?/],
    ['2026-W54', /did you mean 2026-W53\?/],
    ['2026-W5', /did you mean 2026-W05\?/],
    ['last-31d', /did you mean last-30d\?/],
    ['2026-1', /did you mean 2026-01\?/],
    ['2026Q3', /did you mean 2026-Q3\?/],
    ['202610', /did you mean 2026-10\?/],
    ['2026/10', /did you mean 2026-10\?/],
    ['2026-M10', /did you mean 2026-10\?/],
    ['2026w7', /did you mean 2026-W07\?/],
    ['last-week', /did you mean previous-week\?/],
    ['lastweek', /did you mean previous-week\?/],
    ['month', /did you mean this-month\?/],
    ['this_month', /did you mean this-month\?/],
    ['1969', /did you mean 1970\?/],
    ['1969-12', /did you mean 1970-01\?/],
    ['1969-Q4', /did you mean 1970-Q1\?/],
    ['1969-W01', /did you mean 1970-W02\?/],
    ['2031', /did you mean 2026\?/],
    ['2027-01', /did you mean 2026-11\?/],
    ['2027-Q1', /did you mean 2026-Q4\?/],
    ['2027-W01', /did you mean 2026-W48\?/],
    ['10/2026', /^period must be/],
    ['', /^period must be a year, quarter, month or week/],
    ['2026-10-01', /^period must be/],
  ];
  for (const [period, message] of refused) {
    it(`refuses ${period === '' ? 'nothing' : period}`, () => assert.match(toMessage({ period }), message));
  }
});
