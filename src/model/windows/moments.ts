import { Temporal } from 'temporal-polyfill';
import { invalid } from './problem.ts';

/** A day or an instant that a parameter names. */
export interface Moment {
  at: Date;
  /** The first instant after a day; the instant itself. */
  end: Date;
  day?: Temporal.PlainDate;
}

const dayPattern = /^(\d{4})-(\d{2})-(\d{2})$/;
/** RFC 3339, section 5.6. A `+` that a URL does not encode is read as a space. */
const instantPattern = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[-+ ]\d{2}:\d{2})$/;

/**
 * Reads `YYYY-MM-DD` or an instant by RFC 3339.
 * @throws AppError `invalid_input` that names the parameter, and the nearest day that exists.
 */
export function readMoment(name: string, text: string, timeZone: string): Moment {
  const day = dayPattern.exec(text);
  if (day !== null) {
    const [, year, month, dayOfMonth] = day.map(Number);
    const date = readDay(name, text, { year: year ?? 0, month: month ?? 0, day: dayOfMonth ?? 0 });
    return { day: date, at: startOfDay(date, timeZone), end: startOfDay(date.add({ days: 1 }), timeZone) };
  }
  const at = instantPattern.test(text) ? readInstant(text.replace(' ', '+')) : undefined;
  if (at !== undefined) return { at, end: at };
  throw invalid(
    `${name} must be a day as YYYY-MM-DD, or an instant by RFC 3339, such as 2026-10-01T00:00:00+02:00.`,
    nearestMoment(name, text),
  );
}

/** Returns the first instant of a day; some days begin at 01:00, because the clocks change at midnight. */
export function startOfDay(day: Temporal.PlainDate, timeZone: string): Date {
  return new Date(day.toZonedDateTime(timeZone).epochMilliseconds);
}

function readDay(name: string, text: string, parts: { year: number; month: number; day: number }): Temporal.PlainDate {
  const existing = nearestDay(parts);
  const isSame = existing.year === parts.year && existing.month === parts.month && existing.day === parts.day;
  if (isSame) return existing;
  throw invalid(`${name} must be a day that exists: ${text} does not.`, { name, meant: String(existing) });
}

/** Returns the nearest day of the nearest month that exists. */
function nearestDay({ year, month, day }: { year: number; month: number; day: number }): Temporal.PlainDate {
  const existing = { year, month: Math.max(1, month), day: Math.max(1, day) };
  return Temporal.PlainDate.from(existing, { overflow: 'constrain' });
}

function readInstant(text: string): Date | undefined {
  try {
    return new Date(Temporal.Instant.from(text).epochMilliseconds);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Returns the day that a text begins with, or that it names with other separators or without leading zeros. */
function nearestMoment(name: string, text: string): { name: string; meant: string } | undefined {
  const parts = /^(\d{4})([-./ ]?)(\d{1,2})\2(\d{1,2})(?!\d)/.exec(text);
  if (parts === null) return undefined;
  const [, year, , month, day] = parts.map(Number);
  return { name, meant: String(nearestDay({ year: year ?? 0, month: month ?? 0, day: day ?? 0 })) };
}
