import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { AppError } from '../../../src/errors.ts';
import { meaningOf, readWindow, type WindowText, windowBefore, windowsUpTo } from '../../../src/windows/window.ts';

const now = new Date('2026-11-23T09:30:00Z');

function read(text: WindowText, at = now) {
  const window = readWindow(text, at);
  assert.ok(window !== undefined);
  return window;
}

/** Returns the two ends of a window. */
function ends(text: WindowText, at = now): (string | null)[] {
  const { since, until } = meaningOf(read(text, at));
  return [since, until];
}

function messageOf(text: WindowText, at = now): string {
  try {
    readWindow(text, at);
  } catch (error) {
    assert.ok(error instanceof AppError);
    assert.equal(error.code, 'invalid_input');
    return error.message;
  }
  return assert.fail(`${JSON.stringify(text)} was accepted`);
}

describe('windows of days and instants', () => {
  it('returns no window without its parameters, and checks the time zone nevertheless', () => {
    assert.equal(readWindow({}, now), undefined);
    assert.equal(readWindow({ time_zone: 'Europe/Berlin' }, now), undefined);
    assert.match(messageOf({ time_zone: 'Europe/Berln' }), /did you mean Europe\/Berlin\?/);
  });

  it('includes both days', () => {
    assert.deepEqual(meaningOf(read({ since: '2026-10-01', until: '2026-10-31' })), {
      since: '2026-10-01T00:00:00Z',
      until: '2026-11-01T00:00:00Z',
      time_zone: 'UTC',
    });
    assert.deepEqual(ends({ since: '2026-10-01', until: '2026-10-01' }), [
      '2026-10-01T00:00:00Z',
      '2026-10-02T00:00:00Z',
    ]);
  });

  it('is open on the side that is not given', () => {
    assert.deepEqual(ends({ since: '2026-10-01' }), ['2026-10-01T00:00:00Z', null]);
    assert.deepEqual(ends({ until: '2026-10-01' }), [null, '2026-10-02T00:00:00Z']);
  });

  it('is open at the end where it lasts to the end of the last year, for which there is no text', () => {
    for (const text of [
      { until: '9999-12-31' },
      { until: '9999-12-31', time_zone: 'Pacific/Niue' },
      { until: '9999-12-31T23:59:59-11:00' },
    ]) {
      assert.deepEqual(ends({ since: '2026-10-01T00:00:00Z', ...text }), ['2026-10-01T00:00:00Z', null]);
      assert.throws(() => windowsUpTo(read({ since: '2026-10-01', ...text }), 2), /two ends/);
    }
    assert.deepEqual(ends({ until: '9999-12-31', time_zone: 'Pacific/Kiritimati' }), [null, '9999-12-31T10:00:00Z']);
  });

  it('includes the instant of since and excludes that of until', () => {
    assert.deepEqual(ends({ since: '2026-10-01T00:00:00+02:00', until: '2026-10-01t12:00:00.5z' }), [
      '2026-09-30T22:00:00Z',
      '2026-10-01T12:00:00.500Z',
    ]);
  });

  it('reads an offset whose plus sign the URL lost', () => {
    assert.deepEqual(ends({ since: '2026-10-01T00:00:00 02:00' }), ['2026-09-30T22:00:00Z', null]);
  });

  it('combines a day with an instant', () => {
    const text = { since: '2026-10-01', until: '2026-10-01T06:00:00Z', time_zone: 'Europe/Berlin' };
    assert.deepEqual(ends(text), ['2026-09-30T22:00:00Z', '2026-10-01T06:00:00Z']);
    assert.deepEqual(read(text).length, { milliseconds: 8 * 3_600_000 });
  });

  const refused: [why: string, text: WindowText, message: RegExp][] = [
    ['since after until', { since: '2026-10-02', until: '2026-10-01' }, /since must not be after until/],
    ['instants in the wrong order', { since: '2026-10-02T00:00:01Z', until: '2026-10-02T00:00:00Z' }, /not be after/],
    ['a period with since', { period: '2026', since: '2026-10-01' }, /period cannot be used together with since/],
    ['a period with until', { period: '2026', until: '2026-10-01' }, /period cannot be used together with since/],
    ['a day that does not exist', { since: '2026-02-30' }, /since: did you mean 2026-02-28\?/],
    ['a month that does not exist', { until: '2026-13-01' }, /until: did you mean 2026-12-01\?/],
    ['the zeroth day', { until: '2026-00-00' }, /until: did you mean 2026-01-01\?/],
    ['other separators', { since: '2026/1/5' }, /since: did you mean 2026-01-05\?/],
    ['a time without offset', { since: '2026-10-01T10:00:00' }, /since: did you mean 2026-10-01\?/],
    ['an hour that does not exist', { since: '2026-10-01T25:00:00Z' }, /since: did you mean 2026-10-01\?/],
    ['words', { since: 'yesterday' }, /^since must be a day as YYYY-MM-DD/],
    ['nothing', { until: '' }, /^until must be a day/],
    ['a day before 1970', { since: '1969-12-31' }, /since: did you mean 1970-01-01\?/],
    ['an end before 1970', { until: '1969-12-31' }, /until: did you mean 1970-01-01\?/],
    ['an instant before 1970', { since: '1969-12-31T23:59:59Z' }, /since: did you mean 1970-01-01\?/],
    ['a beginning after tomorrow', { since: '2026-11-25' }, /since: did you mean 2026-11-24\?.*after tomorrow/],
    ['an instant after tomorrow', { since: '2026-11-25T00:00:00Z' }, /since: did you mean 2026-11-24\?/],
    ['an offset as time zone', { since: '2026-10-01', time_zone: '+02:00' }, /^time_zone must be the IANA name/],
    ['a city as time zone', { time_zone: 'Berlin' }, /time_zone: did you mean Europe\/Berlin\?/],
    ['a misspelled zone', { time_zone: 'Amercia/New York' }, /time_zone: did you mean America\/New_York\?/],
    ['an unknown planet', { time_zone: 'Mars/Olympus_Mons' }, /time_zone must be the IANA name/],
    ['a long zone', { time_zone: 'x'.repeat(10_000) }, /time_zone must be the IANA name/],
  ];
  for (const [why, text, message] of refused) {
    it(`refuses ${why}`, () => assert.match(messageOf(text), message));
  }

  it('accepts tomorrow, and an end in the future', () => {
    assert.deepEqual(ends({ since: '2026-11-24', until: '2031-01-01' }), [
      '2026-11-24T00:00:00Z',
      '2031-01-02T00:00:00Z',
    ]);
  });
});

describe('days of time zones', () => {
  it('has a day of 23 and one of 25 hours', () => {
    assert.deepEqual(ends({ since: '2026-03-29', until: '2026-03-29', time_zone: 'europe/berlin' }), [
      '2026-03-28T23:00:00Z',
      '2026-03-29T22:00:00Z',
    ]);
    assert.deepEqual(ends({ since: '2026-10-25', until: '2026-10-25', time_zone: 'Europe/Berlin' }), [
      '2026-10-24T22:00:00Z',
      '2026-10-25T23:00:00Z',
    ]);
  });

  it('begins at 01:00 where the clocks change at midnight', () => {
    assert.deepEqual(ends({ since: '2018-11-04', until: '2018-11-04', time_zone: 'America/Sao_Paulo' }), [
      '2018-11-04T03:00:00Z',
      '2018-11-05T02:00:00Z',
    ]);
  });

  it('knows UTC+14 and UTC-11, where another day is tomorrow', () => {
    const evening = new Date('2026-11-23T20:00:00Z');
    assert.deepEqual(ends({ since: '2026-11-25', time_zone: 'Pacific/Kiritimati' }, evening), [
      '2026-11-24T10:00:00Z',
      null,
    ]);
    assert.match(messageOf({ since: '2026-11-26', time_zone: 'Pacific/Kiritimati' }, evening), /2026-11-25\?/);
    const morning = new Date('2026-11-23T10:00:00Z');
    assert.deepEqual(ends({ since: '2026-11-23', time_zone: 'Pacific/Niue' }, morning), ['2026-11-23T11:00:00Z', null]);
    assert.match(messageOf({ since: '2026-11-24', time_zone: 'Pacific/Niue' }, morning), /2026-11-23\?/);
  });

  it('counts nothing on a day that a zone skipped', () => {
    const [since, until] = ends({ since: '2011-12-30', until: '2011-12-30', time_zone: 'Pacific/Apia' });
    assert.equal(since, until);
  });

  it('keeps the names of links', () => {
    assert.equal(read({ since: '2026-01-01', time_zone: 'asia/calcutta' }).timeZone, 'Asia/Calcutta');
    assert.equal(read({ since: '2026-01-01', time_zone: 'Etc/GMT 5' }).timeZone, 'Etc/GMT+5');
  });
});

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

  it('is of the present day in the time zone', () => {
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
    ['lastweek', /period must be/],
    ['this_month', /did you mean this-month\?/],
    ['1969', /did you mean 1970\?/],
    ['2031', /did you mean 2026\?/],
    ['', /^period must be a year, quarter, month or week/],
    ['2026-10-01', /^period must be/],
  ];
  for (const [period, message] of refused) {
    it(`refuses ${period === '' ? 'nothing' : period}`, () => assert.match(messageOf({ period }), message));
  }
});

describe('series of windows', () => {
  it('consists of the months before, of 28 to 31 days', () => {
    const months = windowsUpTo(read({ period: 'this-month', time_zone: 'Europe/Berlin' }), 12);
    assert.equal(months.length, 12);
    assert.deepEqual(meaningOf(months[1] ?? assert.fail()), {
      since: '2026-09-30T22:00:00Z',
      until: '2026-10-31T23:00:00Z',
      time_zone: 'Europe/Berlin',
    });
    assert.equal(meaningOf(months[11] ?? assert.fail()).since, '2025-11-30T23:00:00Z');
  });

  it('has the same number of days, also across a change of clocks', () => {
    const days = read({ since: '2026-10-26', until: '2026-10-27', time_zone: 'Europe/Berlin' });
    assert.deepEqual(meaningOf(windowBefore(days, 1)), {
      since: '2026-10-23T22:00:00Z',
      until: '2026-10-25T23:00:00Z',
      time_zone: 'Europe/Berlin',
    });
  });

  it('has the same number of milliseconds between instants', () => {
    const [, before] = windowsUpTo(read({ since: '2026-10-02T06:00:00Z', until: '2026-10-02T18:00:00Z' }), 2);
    assert.equal(before?.since?.toISOString(), '2026-10-01T18:00:00.000Z');
    assert.equal(before?.until?.toISOString(), '2026-10-02T06:00:00.000Z');
  });

  it('ends where a window would begin before 1970', () => {
    assert.equal(windowsUpTo(read({ period: '1972' }), 100).length, 3);
  });

  it('refuses more than one of a window that is open', () => {
    const open = read({ since: '2026-10-01' });
    assert.deepEqual(windowsUpTo(open, 1), [open]);
    assert.throws(() => windowsUpTo(open, 2), /A series needs a window with two ends/);
  });

  it('leaves no instant between two windows, in any zone', () => {
    const zones = [
      'UTC',
      'Europe/Berlin',
      'Pacific/Kiritimati',
      'Pacific/Niue',
      'America/Sao_Paulo',
      'Asia/Beirut',
      'Australia/Lord_Howe',
    ];
    const periods = ['last-7d', 'last-30d', 'this-week', 'previous-month', 'this-quarter', 'this-year'];
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.constantFrom(...periods),
        fc.date({ min: new Date('2012-01-01'), max: new Date('2026-11-23'), noInvalidDate: true }),
        (timeZone, period, at) => {
          const series = windowsUpTo(read({ period, time_zone: timeZone }, at), 10);
          for (const [index, window] of series.slice(1).entries()) {
            assert.deepEqual(window.until, series[index]?.since);
          }
        },
      ),
    );
  });
});
