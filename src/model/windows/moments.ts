import { Temporal } from 'temporal-polyfill';
import { invalid } from '../errors.ts';
import { nearest } from '../text.ts';

const defaultTimeZone = 'UTC';
/** No IANA name is longer (`America/Argentina/ComodRivadavia` has 32 letters). */
const maxLength = 64;

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

/**
 * Reads the IANA name of a time zone, in any letter case; links such as `Asia/Calcutta` keep their name.
 * @param name undefined: UTC.
 * @throws AppError `invalid_input` with the nearest known name.
 */
export function readTimeZone(name: string | undefined): string {
  if (name === undefined) return defaultTimeZone;
  // A `+` that a URL does not encode is read as a space, as in `Etc/GMT+5`.
  const zoneName = name.replaceAll(' ', '+');
  // Offsets such as `+02:00` are no names: they do not say when the clocks change.
  if (/^[a-z]/i.test(zoneName) && zoneName.length <= maxLength) {
    try {
      return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zoneName).timeZoneId;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  const meant = nearestTimeZone(zoneName);
  throw invalid(
    'time_zone must be the IANA name of a time zone, such as Europe/Berlin.',
    meant === undefined ? undefined : { name: 'time_zone', meant },
  );
}

/** Returns the zone that the author of `name` probably meant: by its name, or by its city alone. */
function nearestTimeZone(name: string): string | undefined {
  const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')];
  const cities = new Map(zones.map((zone) => [zone.slice(zone.lastIndexOf('/') + 1), zone]));
  const city = nearest(name.slice(name.lastIndexOf('/') + 1), cities.keys());
  return nearest(name, zones) ?? (city === undefined ? undefined : cities.get(city));
}
