import type { Envelope } from '../../../http/pipeline/envelope.ts';
import type { CalendarInput } from '../../../http/pipeline/images.ts';
import { today } from '../../../model/windows/periods.ts';
import type { WindowMeaning } from '../../../model/windows/window.ts';
import { fill, type Language } from '../../languages/language.ts';
import type { Canvas } from '../drawing/canvas.ts';
import { padding } from '../drawing/frame.ts';

/** The facts about data without anything to draw. */
interface EmptyData {
  /** Undefined: lifetime. */
  window: WindowMeaning | undefined;
  /** The time as of which the data is known. */
  asOf: Date | undefined;
  isCollecting: boolean;
}

/** The distance between the baselines of lines about the coverage, in pixels. */
export const coverageLinePx = 16;

/** The data that the numbers of a card cover, and the time as of which they are known. */
export interface Coverage {
  includesPrivate: boolean;
  /** True when only contributions in collected repositories are counted. */
  isCollected: boolean;
  isIncomplete: boolean;
  /** The time at which collecting the rest goes on; undefined while it runs, or where nothing is missing. */
  resumesAt?: Date | undefined;
  asOf: Date | undefined;
}

/** Returns the time at which collecting the rest of a response goes on. */
export function readResumesAt({ meta_data: { progress } }: Pick<Envelope, 'meta_data'>): Date | undefined {
  return progress?.resumes_dttm === undefined ? undefined : new Date(progress.resumes_dttm);
}

/** Returns the text with the time at which collecting goes on, in UTC and 24 hours. */
export function resumesText(at: Date, { words, locale }: Language): string {
  const fields = {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: 'UTC',
    timeZoneName: 'short',
  } as const;
  return fill(words.goesOnAt, { time: new Intl.DateTimeFormat(locale, fields).format(at) });
}

/** Returns the time as of which the numbers of a response are known; undefined where it does not say. */
export function asOfResponse({ meta_data: { as_of: asOf } }: Pick<Envelope, 'meta_data'>): Date | undefined {
  return asOf === undefined ? undefined : new Date(asOf);
}

/** Returns what the days of a calendar cover. */
export function coverageOfCalendar(calendar: CalendarInput, envelope: Envelope): Coverage {
  return {
    includesPrivate: calendar.includesPrivate,
    isCollected: calendar.source === 'collected',
    isIncomplete: envelope.meta_data.complete === false,
    resumesAt: readResumesAt(envelope),
    asOf: asOfResponse(envelope),
  };
}

/** Returns the texts about a coverage, in parts that stand side by side. */
export function formatCoverage(coverage: Coverage, language: Language): string[] {
  const { words, date } = language;
  const { includesPrivate, isCollected, isIncomplete, resumesAt, asOf } = coverage;
  return [
    includesPrivate ? words.publicAndPrivate : words.publicOnly,
    ...(isCollected ? [words.inCollected] : []),
    ...(isIncomplete ? [words.stillCounting] : []),
    ...(resumesAt === undefined ? [] : [resumesText(resumesAt, language)]),
    ...(asOf === undefined ? [] : [fill(words.asOf, { date: date(asOf) })]),
  ];
}

/** Writes lines about the coverage at the lower end of a card. */
export function drawCoverage(
  canvas: Canvas,
  lines: readonly string[],
  { height, maxWidth }: { height: number; maxWidth: number },
): void {
  const y = height - 20 - (lines.length - 1) * coverageLinePx;
  canvas.lines('small', { at: padding, y, step: coverageLinePx, maxWidth, isProse: true }, lines);
}

/** Returns how many repositories of a board are completely collected, and as of when. */
export function formatCompleteness(
  { total, complete }: { total: number; complete: number },
  asOf: Date | undefined,
  { words, number, date }: Language,
): string {
  const counts = fill(words.completeRepositories, { n: number(complete), total: number(total) });
  return asOf === undefined ? counts : `${counts}, ${fill(words.asOf, { date: date(asOf) })}`;
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
function formatDay(instant: string, timeZone: string, date: Language['date']): string {
  // Dates are formatted in UTC.
  return date(new Date(today(new Date(instant), timeZone).toString()));
}
