import { today } from '../../../model/windows/periods.ts';
import type { WindowMeaning } from '../../../model/windows/window.ts';
import type { Language } from '../../languages/language.ts';

/** Formats the first and the last day of a window; an open side is left out. */
export function formatDays(window: WindowMeaning, date: Language['date']): string {
  const [first, last] = [formatFirstDay(window, date), formatLastDay(window, date)];
  return first === last ? first : `${first} – ${last}`.trim();
}

/** Formats the first day of a window; empty where it has no beginning. */
export function formatFirstDay({ since, time_zone: timeZone }: WindowMeaning, date: Language['date']): string {
  return since === null ? '' : formatDay(since, timeZone, date);
}

/** Formats the last day of a window; empty where it has no end. */
export function formatLastDay({ until, time_zone: timeZone }: WindowMeaning, date: Language['date']): string {
  return until === null ? '' : formatDay(new Date(Date.parse(until) - 1).toISOString(), timeZone, date);
}

/** Formats the day of an instant in a time zone. */
export function formatDay(instant: string, timeZone: string, date: Language['date']): string {
  // Dates are formatted in UTC.
  return date(new Date(today(new Date(instant), timeZone).toString()));
}
