import { today } from '../windows/periods.ts';
import type { WindowMeaning } from '../windows/window.ts';
import type { Language } from './languages/language.ts';

/** Formats the first and the last day of a window; an open side is left out. */
export function daysOf({ since, until, time_zone: timeZone }: WindowMeaning, date: Language['date']): string {
  // Dates are formatted in UTC.
  const dayOf = (ms: number): string => date(new Date(today(new Date(ms), timeZone).toString()));
  const first = since === null ? '' : dayOf(Date.parse(since));
  const last = until === null ? '' : dayOf(Date.parse(until) - 1);
  return first === last ? first : `${first} – ${last}`.trim();
}
