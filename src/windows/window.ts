import { Temporal } from 'temporal-polyfill';
import { readMoment, startOfDay } from './moments.ts';
import { daysOfPeriod, type PeriodLength, today } from './periods.ts';
import { invalid } from './problem.ts';
import { readTimeZone } from './time-zones.ts';

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
  /** The distance to the window before; null where a side is open. */
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
    return windowOfPeriod(period, timeZone, now);
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
  if (first !== undefined && last !== undefined && first.at.getTime() > last.at.getTime()) {
    throw invalid(`since must not be after until: ${since} is later than ${until}.`);
  }
  rejectOutside(window, { first: 'since', last: 'until' }, now);
  return window;
}

/** Instants from here on have no four-digit year, as RFC 3339 demands: a window up to the last of days has no end. */
export const endOfTime = new Date('+010000-01-01T00:00:00Z');

/** Returns the number of days from one day to another, both included, or of milliseconds where one is an instant. */
function lengthBetween(
  first: ReturnType<typeof readMoment> | undefined,
  last: ReturnType<typeof readMoment> | undefined,
): Window['length'] {
  if (first === undefined || last === undefined) return null;
  if (first.day === undefined || last.day === undefined) {
    return { milliseconds: last.end.getTime() - first.at.getTime() };
  }
  return { days: first.day.until(last.day, { largestUnit: 'days' }).days + 1 };
}

function windowOfPeriod(period: string, timeZone: string, now: Date): Window {
  const { first, next, length } = daysOfPeriod(period, today(now, timeZone));
  const window = { since: startOfDay(first, timeZone), until: startOfDay(next, timeZone), timeZone, length };
  rejectOutside(window, { first: 'period', last: 'period' }, now);
  return window;
}

/** The first day of windows; the same as the first second of Unix time in UTC. */
const firstDay = Temporal.PlainDate.from('1970-01-01');

/** Rejects windows that begin before 1970 or after tomorrow, in which nothing can be counted. */
function rejectOutside(
  { since, until, timeZone }: Window,
  { first, last }: { first: string; last: string },
  now: Date,
): void {
  const earliest = startOfDay(firstDay, timeZone);
  const tomorrow = today(now, timeZone).add({ days: 1 });
  const end = startOfDay(tomorrow.add({ days: 1 }), timeZone);
  if (since !== null && since < earliest) throw beforeFirst(first);
  if (until !== null && until <= earliest) throw beforeFirst(last);
  if (since !== null && since >= end) {
    throw invalid(
      `${first} must not begin after tomorrow, ${String(tomorrow)} in ${timeZone}.`,
      nearestDay(first, tomorrow),
    );
  }
}

function beforeFirst(parameter: string): Error {
  return invalid(`${parameter} must not be before ${String(firstDay)}.`, nearestDay(parameter, firstDay));
}

function nearestDay(name: string, day: Temporal.PlainDate): { name: string; meant: string } {
  return { name, meant: name === 'period' ? String(day.year) : String(day) };
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
  const earliest = startOfDay(firstDay, window.timeZone);
  const windows = Array.from({ length: count }, (_, steps) => windowBefore(window, steps));
  return windows.filter(({ since }) => since !== null && since >= earliest);
}

/**
 * Returns the window of the same length that is some steps before; a negative number leads to later ones.
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

/** The meaning of a window as responses repeat it. */
export interface WindowMeaning {
  since: string | null;
  until: string | null;
  time_zone: string;
}

export function meaningOf({ since, until, timeZone }: Pick<Window, 'since' | 'until' | 'timeZone'>): WindowMeaning {
  return { since: since && formatInstant(since), until: until && formatInstant(until), time_zone: timeZone };
}

/** Formats an instant as `YYYY-MM-DDTHH:MM:SSZ`, with milliseconds where it has some. */
function formatInstant(at: Date): string {
  return at.toISOString().replace('.000Z', 'Z');
}
