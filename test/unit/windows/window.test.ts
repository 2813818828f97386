import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  readWindow,
  toWindowMeaning,
  type WindowText,
  windowBefore,
  windowsUpTo,
} from '../../../src/model/windows/window.ts';
import { ends, now, read, toMessage } from './read.ts';

describe('windows of days and instants', () => {
  it('returns no window without its parameters, and checks the time zone nevertheless', () => {
    assert.equal(readWindow({}, now), undefined);
    assert.equal(readWindow({ time_zone: 'Europe/Berlin' }, now), undefined);
    assert.match(toMessage({ time_zone: 'Europe/Berln' }), /did you mean Europe\/Berlin\?/);
  });

  it('includes both days', () => {
    assert.deepEqual(toWindowMeaning(read({ since: '2026-10-01', until: '2026-10-31' })), {
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

  it('contains the rest of the last day', () => {
    const text = { since: '2026-10-01T12:00:00Z', until: '2026-10-01' };
    assert.deepEqual(ends(text), ['2026-10-01T12:00:00Z', '2026-10-02T00:00:00Z']);
  });

  const refused: [why: string, text: WindowText, message: RegExp][] = [
    [
      'since after until',
      { since: '2026-10-02', until: '2026-10-01' },
      /since: did you mean 2026-10-01\?.*not be after until/,
    ],
    [
      'an instant after the last day',
      { since: '2026-10-02T00:00:00Z', until: '2026-10-01' },
      /since: did you mean 2026-10-01\?/,
    ],
    ['instants in the wrong order', { since: '2026-10-02T00:00:01Z', until: '2026-10-02T00:00:00Z' }, /not be after/],
    ['a period with since', { period: '2026', since: '2026-10-01' }, /period cannot be used together with since/],
    ['a period with until', { period: '2026', until: '2026-10-01' }, /period cannot be used together with since/],
    ['a day that does not exist', { since: '2026-02-30' }, /since: did you mean 2026-02-28\?/],
    ['a month that does not exist', { until: '2026-13-01' }, /until: did you mean 2026-12-01\?/],
    ['the zeroth day', { until: '2026-00-00' }, /until: did you mean 2026-01-01\?/],
    ['other separators', { since: '2026/1/5' }, /since: did you mean 2026-01-05\?/],
    ['a time without offset', { since: '2026-10-01T10:00:00' }, /since: did you mean 2026-10-01\?/],
    ['an hour that does not exist', { since: '2026-10-01T25:00:00Z' }, /since: did you mean 2026-10-01\?/],
    ['a year of five digits', { until: '10000-01-01' }, /^until must be a day as YYYY-MM-DD/],
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
    it(`refuses ${why}`, () => assert.match(toMessage(text), message));
  }

  it('accepts tomorrow, and an end in the future', () => {
    assert.deepEqual(ends({ since: '2026-11-24', until: '2031-01-01' }), [
      '2026-11-24T00:00:00Z',
      '2031-01-02T00:00:00Z',
    ]);
  });
});

describe('days of time zones', () => {
  it('include one of 23 and one of 25 hours', () => {
    assert.deepEqual(ends({ since: '2026-03-29', until: '2026-03-29', time_zone: 'europe/berlin' }), [
      '2026-03-28T23:00:00Z',
      '2026-03-29T22:00:00Z',
    ]);
    assert.deepEqual(ends({ since: '2026-10-25', until: '2026-10-25', time_zone: 'Europe/Berlin' }), [
      '2026-10-24T22:00:00Z',
      '2026-10-25T23:00:00Z',
    ]);
  });

  it('begin at 01:00 where the clocks change at midnight', () => {
    assert.deepEqual(ends({ since: '2018-11-04', until: '2018-11-04', time_zone: 'America/Sao_Paulo' }), [
      '2018-11-04T03:00:00Z',
      '2018-11-05T02:00:00Z',
    ]);
  });

  it('may be tomorrow by the date of the zone, also in UTC+14 and UTC-11', () => {
    const evening = new Date('2026-11-23T20:00:00Z');
    assert.deepEqual(ends({ since: '2026-11-25', time_zone: 'Pacific/Kiritimati' }, evening), [
      '2026-11-24T10:00:00Z',
      null,
    ]);
    assert.match(toMessage({ since: '2026-11-26', time_zone: 'Pacific/Kiritimati' }, evening), /2026-11-25\?/);
    const morning = new Date('2026-11-23T10:00:00Z');
    assert.deepEqual(ends({ since: '2026-11-23', time_zone: 'Pacific/Niue' }, morning), ['2026-11-23T11:00:00Z', null]);
    assert.match(toMessage({ since: '2026-11-24', time_zone: 'Pacific/Niue' }, morning), /2026-11-23\?/);
  });

  it('are empty where a zone skipped one', () => {
    const [since, until] = ends({ since: '2011-12-30', until: '2011-12-30', time_zone: 'Pacific/Apia' });
    assert.equal(since, until);
  });

  it('keep the name of the requested zone, also where it is an alias', () => {
    assert.equal(read({ since: '2026-01-01', time_zone: 'asia/calcutta' }).timeZone, 'Asia/Calcutta');
    assert.equal(read({ since: '2026-01-01', time_zone: 'Etc/GMT 5' }).timeZone, 'Etc/GMT+5');
  });
});

describe('series of windows', () => {
  it('consists of the months before, of 28 to 31 days', () => {
    const months = windowsUpTo(read({ period: 'this-month', time_zone: 'Europe/Berlin' }), 12);
    assert.equal(months.length, 12);
    assert.deepEqual(toWindowMeaning(months[1] ?? assert.fail()), {
      since: '2026-09-30T22:00:00Z',
      until: '2026-10-31T23:00:00Z',
      time_zone: 'Europe/Berlin',
    });
    assert.equal(toWindowMeaning(months[11] ?? assert.fail()).since, '2025-11-30T23:00:00Z');
  });

  it('has the same number of days, also across a change of clocks', () => {
    const days = read({ since: '2026-10-26', until: '2026-10-27', time_zone: 'Europe/Berlin' });
    assert.deepEqual(toWindowMeaning(windowBefore(days, 1)), {
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
