import { Temporal } from 'temporal-polyfill';
import { invalid } from '../errors.ts';
import { nearest } from '../text.ts';

/** Units of the calendar that periods are named by. */
const units = ['week', 'month', 'quarter', 'year'] as const;
type Unit = (typeof units)[number];

/** A length in days or months of the calendar in a time zone, where days may have 23 or 25 hours. */
export type PeriodLength = { days: number } | { months: number };

const lengths: Record<Unit, PeriodLength> = {
  week: { days: 7 },
  month: { months: 1 },
  quarter: { months: 3 },
  year: { months: 12 },
};
const lastDays = [7, 30, 90, 365];

/** The days of a period: the first one, and the first one after it. */
interface DaysOfPeriod {
  first: Temporal.PlainDate;
  next: Temporal.PlainDate;
  length: PeriodLength;
}

/** The periods that depend on the present day. */
export const relativePeriods: readonly string[] = [
  ...lastDays.map((days) => `last-${days}d`),
  ...units.map((unit) => `this-${unit}`),
  ...units.map((unit) => `previous-${unit}`),
];

/** Returns the day of an instant in a time zone. */
export function today(now: Date, timeZone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone).toPlainDate();
}

/**
 * Reads a period such as `2026`, `2026-Q3`, `2026-10`, `2026-W42`, `last-30d` or `this-week`. `last-` periods end with
 * the present day.
 * @throws AppError `invalid_input` with the nearest valid period.
 */
export function daysOfPeriod(period: string, present: Temporal.PlainDate): DaysOfPeriod {
  const [relation = '', extent = ''] = period.split('-', 2);
  if (relativePeriods.includes(period)) {
    if (relation === 'last') return lastDaysUpTo(present, Number.parseInt(extent, 10));
    const unit = units.find((name) => name === extent) ?? 'week';
    const { first, length } = unitWith(unit, present);
    return relation === 'this' ? from(first, length) : from(first.subtract(length), length);
  }
  return namedPeriod(period);
}

/** Returns the week, month, quarter or year with a day; weeks begin on Mondays (ISO 8601). */
export function unitWith(unit: Unit, day: Temporal.PlainDate): DaysOfPeriod {
  const length = lengths[unit];
  if (unit === 'week') return from(day.subtract({ days: day.dayOfWeek - 1 }), length);
  const monthsBefore = { month: 0, quarter: (day.month - 1) % 3, year: day.month - 1 }[unit];
  return from(day.with({ day: 1 }).subtract({ months: monthsBefore }), length);
}

function lastDaysUpTo(present: Temporal.PlainDate, days: number): DaysOfPeriod {
  return from(present.subtract({ days: days - 1 }), { days });
}

function from(first: Temporal.PlainDate, length: PeriodLength): DaysOfPeriod {
  return { first, next: first.add(length), length };
}

/** A day that is always in the last week of its year (ISO 8601). */
const dayInLastWeek = { month: 12, day: 28 };

function namedPeriod(period: string): DaysOfPeriod {
  const parts = /^(\d{4})(?:-(?:([QqWw])(\d{1,2})|(\d{2})))?$/.exec(period);
  if (parts === null) throw invalidPeriod(nearestPeriod(period));
  const [, yearText = '', letter = '', numberText, month] = parts;
  const year = Number(yearText);
  const kind = month === undefined ? letter.toUpperCase() : 'M';
  if (kind === '') return from(Temporal.PlainDate.from({ year, month: 1, day: 1 }), lengths.year);
  const number = Number(month ?? numberText);
  const last = { Q: 4, M: 12, W: Temporal.PlainDate.from({ year, ...dayInLastWeek }).weekOfYear ?? 52 }[kind] ?? 0;
  const digits = kind === 'W' ? 2 : 1;
  const valid = Math.min(Math.max(number, 1), last);
  const name = { Q: `Q${valid}`, M: twoDigits(valid), W: `W${twoDigits(valid)}` }[kind];
  if (valid !== number || (numberText ?? 'M').length !== digits) throw invalidPeriod(`${yearText}-${name}`);
  if (kind === 'W') {
    const firstWeek = unitWith('week', Temporal.PlainDate.from({ year, month: 1, day: 4 }));
    return from(firstWeek.first.add({ days: 7 * (number - 1) }), lengths.week);
  }
  const firstMonth = kind === 'Q' ? 3 * number - 2 : number;
  return from(
    Temporal.PlainDate.from({ year, month: firstMonth, day: 1 }),
    lengths[kind === 'Q' ? 'quarter' : 'month'],
  );
}

/** Returns the period that the author of a text probably meant: with other separators, or in other words. */
function nearestPeriod(text: string): string | undefined {
  const [, year, letter = '', number = ''] = /^(\d{4})[-/. ]?([QqWwMm]?)[-/. ]?(\d{1,2})$/.exec(text) ?? [];
  if (year !== undefined) {
    const kind = letter.toUpperCase();
    const name = kind === 'Q' ? `Q${Number(number)}` : `${kind === 'W' ? 'W' : ''}${number.padStart(2, '0')}`;
    return `${year}-${name}`;
  }
  const words = new Map(
    units.flatMap((unit) => [
      [unit, `this-${unit}`],
      [`last-${unit}`, `previous-${unit}`],
    ]),
  );
  const meant = nearest(text, [...relativePeriods, ...words.keys()]);
  return meant === undefined ? undefined : (words.get(meant) ?? meant);
}

/** Returns the year, quarter, month or week with a day: of the same kind as another period. */
export function periodLike(period: string, day: Temporal.PlainDate): string {
  const { year, month, yearOfWeek = year, weekOfYear = 1 } = day;
  if (/w/i.test(period)) return `${yearOfWeek}-W${twoDigits(weekOfYear)}`;
  if (/q/i.test(period)) return `${year}-Q${Math.ceil(month / 3)}`;
  return period.includes('-') ? `${year}-${twoDigits(month)}` : String(year);
}

function invalidPeriod(meant: string | undefined): Error {
  return invalid(
    `period must be a year, quarter, month or week such as 2026, 2026-Q3, 2026-10 or 2026-W42, or one of ${relativePeriods.join(', ')}.`,
    meant === undefined ? undefined : { name: 'period', meant },
  );
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
