import type { WindowMeaning } from '../../../model/windows/window.ts';
import { fill, type Language } from '../../languages/language.ts';
import { formatDay, formatDays } from './window-days.ts';

/** The facts about data without anything to draw. */
export interface EmptyData {
  /** Undefined: lifetime. */
  window: WindowMeaning | undefined;
  /** The time as of which the data is known. */
  asOf: Date | undefined;
  isCollecting: boolean;
}

/**
 * Returns why there is nothing to draw: the window has not begun, something is still being collected, or the window has
 * ended; undefined where nothing was counted so far.
 */
export function formatReason(
  { window, asOf, isCollecting }: EmptyData,
  { words, date }: Pick<Language, 'words' | 'date'>,
): string | undefined {
  const { since = null, until = null, time_zone: timeZone = 'UTC' } = window ?? {};
  if (since !== null && asOf !== undefined && asOf < new Date(since))
    return fill(words.begins, { date: formatDay(since, timeZone, date) });
  if (isCollecting) return words.stillCounting;
  const hasEnded = until !== null && asOf !== undefined && new Date(until) <= asOf;
  return hasEnded ? formatDays({ since, until, time_zone: timeZone }, date) : undefined;
}
