import { Temporal } from 'temporal-polyfill';
import { Type } from 'typebox';
import { invalid } from '../errors.ts';
import { type Moment, readMoment, readTimeZone, startOfDay } from './moments.ts';
import { daysOfPeriod, type PeriodLength, periodLike, today } from './periods.ts';

const maxLength = 64;

/** The parameters of a window in URLs. `readWindow` reads their values. */
export const WindowParameters = Type.Object({
  since: Type.Optional(
    Type.String({
      maxLength,
      description:
        'First day (`YYYY-MM-DD`) in `time_zone`, or first instant (RFC 3339). Earlier contributions do not count.',
      examples: ['2026-10-01'],
    }),
  ),
  until: Type.Optional(
    Type.String({
      maxLength,
      description: 'Last day, which is included, or an instant, which is not.',
      examples: ['2026-10-31'],
    }),
  ),
  period: Type.Optional(
    Type.String({
      maxLength,
      description:
        'In the place of `since` and `until`: `2026`, `2026-Q3`, `2026-10`, `2026-W42`, `last-7d`, `last-30d`, `last-90d`, `last-365d`, or `this-` and `previous-` with `week`, `month`, `quarter`, `year`.',
      examples: ['2026-10'],
    }),
  ),
  time_zone: Type.Optional(
    Type.String({ maxLength, description: 'IANA name. Default: UTC.', examples: ['Europe/Berlin'] }),
  ),
});

/** The parameters of a window as a URL or a file gives them. */
export interface WindowText {
  since?: string | undefined;
  until?: string | undefined;
  period?: string | undefined;
  time_zone?: string | undefined;
}

/** A range of time in which contributions count. */
export interface Window {
  /** The first instant; null: no beginning. */
  since: Date | null;
  /** The first instant after the window; null: no end. */
  until: Date | null;
  /** IANA name. */
  timeZone: string;
  /** The distance to the previous window of the same length; null where a side is open. */
  length: PeriodLength | { milliseconds: number } | null;
}

/**
 * Reads a window.
 * @returns undefined without `since`, `until` and `period`.
 * @throws AppError `invalid_input` that names the parameter, and the nearest valid value where there is one.
 */
export function readWindow(text: WindowText, now: Date): Window | undefined {
  const timeZone = readTimeZone(text.time_zone);
  const { since, until, period } = text;
  if (period !== undefined) {
    if (since !== undefined || until !== undefined) {
      throw invalid('period cannot be used together with since or until; keep one.');
    }
    return readPeriod(period, timeZone, now);
  }
  if (since === undefined && until === undefined) return undefined;
  const first = since === undefined ? undefined : readMoment('since', since, timeZone);
  const end = until === undefined ? undefined : readMoment('until', until, timeZone);
  const last = end !== undefined && end.end < endOfTime ? end : undefined;
  const window = {
    since: first?.at ?? null,
    until: last?.end ?? null,
    timeZone,
    length: lengthBetween(first, last),
  };
  if (first !== undefined && last !== undefined && isAfter(first, last)) {
    const nearest = { name: 'since', meant: until ?? '' };
    throw invalid(`since must not be after until: ${since} is later than ${until}.`, nearest);
  }
  rejectOutside(window, { first: { name: 'since' }, last: { name: 'until' } }, now);
  return window;
}

/** Returns whether a window would begin after its end: a last day is included, an instant is not; some days are empty. */
function isAfter(first: Moment, last: Moment): boolean {
  return first.at > last.at && first.at >= last.end;
}

/** Instants from here on have no four-digit year, as RFC 3339 demands: a window up to the last of days has no end. */
export const endOfTime = new Date('+010000-01-01T00:00:00Z');

/** Returns the number of days from one day to another, both included, or of milliseconds where one is an instant. */
function lengthBetween(first: Moment | undefined, last: Moment | undefined): Window['length'] {
  if (first === undefined || last === undefined) return null;
  if (first.day === undefined || last.day === undefined) {
    return { milliseconds: last.end.getTime() - first.at.getTime() };
  }
  return { days: first.day.until(last.day, { largestUnit: 'days' }).days + 1 };
}

function readPeriod(period: string, timeZone: string, now: Date): Window {
  const { first, next, length } = daysOfPeriod(period, today(now, timeZone));
  const window = { since: startOfDay(first, timeZone), until: startOfDay(next, timeZone), timeZone, length };
  const named = { name: 'period', period };
  rejectOutside(window, { first: named, last: named }, now);
  return window;
}

/** The first day of windows, which begins in UTC with Unix time. */
const firstDay = Temporal.PlainDate.from('1970-01-01');

/** Returns the first instant of windows in a time zone. */
export function firstInstant(timeZone: string): Date {
  return startOfDay(firstDay, timeZone);
}

/** A parameter that gives an end of a window. */
interface Given {
  name: string;
  /** Its value, where it is a period. */
  period?: string;
}

/** Rejects windows that begin before 1970 or after tomorrow, in which nothing can be counted. */
function rejectOutside(
  { since, until, timeZone }: Window,
  { first, last }: { first: Given; last: Given },
  now: Date,
): void {
  const earliest = firstInstant(timeZone);
  const tomorrow = today(now, timeZone).add({ days: 1 });
  const end = startOfDay(tomorrow.add({ days: 1 }), timeZone);
  if (since !== null && since < earliest) throw beforeFirst(first);
  if (until !== null && until <= earliest) throw beforeFirst(last);
  if (since !== null && since >= end) {
    throw invalid(
      `${first.name} must not begin after tomorrow, ${String(tomorrow)} in ${timeZone}.`,
      nearestDay(first, tomorrow),
    );
  }
}

function beforeFirst(given: Given): Error {
  // The first week that begins in 1970 is the second one.
  const day = /w/i.test(given.period ?? '') ? firstDay.add({ days: 4 }) : firstDay;
  return invalid(`${given.name} must not be before ${String(firstDay)}.`, nearestDay(given, day));
}

function nearestDay({ name, period }: Given, day: Temporal.PlainDate): { name: string; meant: string } {
  return { name, meant: period === undefined ? String(day) : periodLike(period, day) };
}

/**
 * Returns a window and those of the same length before it, newest first; fewer where one would begin before 1970.
 * @throws AppError `invalid_input` when the window has an open side and more than one are wanted.
 */
export function windowsUpTo(window: Window, count: number): Window[] {
  if (count <= 1) return [window];
  if (window.length === null || window.since === null || window.until === null) {
    throw invalid('A series needs a window with two ends: add since, until or period, or use limit=1.');
  }
  const earliest = firstInstant(window.timeZone);
  const windows = Array.from({ length: count }, (_, steps) => windowBefore(window, steps));
  return windows.filter(({ since }) => since !== null && since >= earliest);
}

/**
 * Returns the window that is `steps` of its length earlier; a negative number returns a later one.
 * @throws RangeError when the window has an open side.
 */
export function windowBefore(window: Window, steps: number): Window {
  const { since, until, timeZone, length } = window;
  if (since === null || until === null || length === null) throw new RangeError('an open window has no length');
  if ('milliseconds' in length) {
    const shift = steps * length.milliseconds;
    return { ...window, since: new Date(since.getTime() - shift), until: new Date(until.getTime() - shift) };
  }
  const shift = 'days' in length ? { days: steps * length.days } : { months: steps * length.months };
  const moved = (at: Date): Date => startOfDay(today(at, timeZone).subtract(shift), timeZone);
  return { ...window, since: moved(since), until: moved(until) };
}

/**
 * Returns the end of what counts in a window: nothing that is dated after the present day does. The end of the day, in
 * place of the exact time, keeps numbers the same until midnight.
 */
export function countedUntil({ since, until, timeZone }: Omit<Window, 'length'>, now: Date): Date {
  const end = startOfDay(today(now, timeZone).add({ days: 1 }), timeZone);
  if (until !== null && until < end) return until;
  // A window may begin tomorrow.
  return since !== null && since > end ? since : end;
}

/** The meaning of a window as responses repeat it. */
export interface WindowMeaning {
  since: string | null;
  until: string | null;
  time_zone: string;
}

export function toWindowMeaning({
  since,
  until,
  timeZone,
}: Pick<Window, 'since' | 'until' | 'timeZone'>): WindowMeaning {
  return { since: since && formatInstant(since), until: until && formatInstant(until), time_zone: timeZone };
}

/** Formats an instant as `YYYY-MM-DDTHH:MM:SSZ`, with milliseconds where it has some. */
function formatInstant(at: Date): string {
  return at.toISOString().replace('.000Z', 'Z');
}
