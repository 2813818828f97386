import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { locales } from '../../../src/views/languages/texts.ts';
import { makeCalendar } from './inputs.ts';
import { readSvg } from './read-svg.ts';
import { draw } from './samples.ts';

/** Windows with the number of their days, and of their weeks that begin on Sunday. */
const windows = [
  { from: '2020-01-01', until: '2020-12-31', days: 366, weeks: 53 },
  // It begins on the last day of a week.
  { from: '2028-01-01', until: '2028-12-31', days: 366, weeks: 54 },
  { from: '2026-07-01', until: '2026-09-30', days: 92, weeks: 14 },
  { from: '2026-10-01', until: '2026-10-31', days: 31, weeks: 5 },
  { from: '2026-11-21', until: '2026-11-21', days: 1, weeks: 1 },
] as const;

/** Returns the columns of the squares of days in the first band. */
function listColumns(svg: string): number[] {
  return [...svg.matchAll(/M(\d+) \d+h/g)].map(([, column]) => Number(column));
}

describe('the calendar of a window', () => {
  for (const { from, until, days, weeks } of windows) {
    it(`has each day and only the weeks of ${from} to ${until}`, () => {
      for (const locale of ['en', 'de', 'ar']) {
        const { svg } = draw('calendar', makeCalendar({ from, until }), { locale });
        assert.equal(listColumns(svg).length, days, locale);
      }
      const columns = listColumns(draw('calendar', makeCalendar({ from, until })).svg);
      assert.deepEqual([Math.min(...columns), Math.max(...columns)], [0, weeks - 1]);
    });
  }

  it('is narrower than a year, and in no width higher than its squares need', () => {
    const year = draw('calendar', makeCalendar());
    const quarter = { from: '2026-07-01', until: '2026-09-30' };
    for (const window of [quarter, { from: '2026-10-01', until: '2026-10-31' }]) {
      const usual = draw('calendar', makeCalendar(window));
      assert.ok(usual.widthPx >= 240 && usual.widthPx < year.widthPx, `${usual.widthPx}`);
      assert.ok(draw('calendar', makeCalendar(window), { width: 1200 }).heightPx <= usual.heightPx);
    }
    assert.equal(draw('calendar', makeCalendar(quarter), { width: 300 }).widthPx, 300);
  });

  it('names each month of a quarter, and that of a window which begins within it, in every language', () => {
    for (const locale of locales) {
      for (const [from, until, months] of [
        ['2026-07-01', '2026-09-30', [6, 7, 8]],
        ['2026-10-15', '2026-11-30', [9, 10]],
        ['2026-10-19', '2026-10-25', [9]],
      ] as const) {
        const { texts } = readSvg(
          draw('calendar', makeCalendar({ from, until }), { locale, hide: 'title,coverage' }).svg,
        );
        const names = months.map((month) =>
          new Intl.DateTimeFormat(locale, { month: 'short', timeZone: 'UTC' }).format(new Date(Date.UTC(2026, month))),
        );
        for (const name of names)
          assert.ok(texts.join('|').includes(name), `${locale} ${from} ${name}: ${texts.join('|')}`);
      }
    }
  });
});
