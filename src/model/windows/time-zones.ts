import { Temporal } from 'temporal-polyfill';
import { nearest } from '../text/nearest.ts';
import { invalid } from './problem.ts';

const defaultTimeZone = 'UTC';
/** No IANA name is longer (`America/Argentina/ComodRivadavia` has 32 letters). */
const maxLength = 64;

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
