import type { Envelope } from '../../../http/pipeline/envelope.ts';
import type { CalendarInput } from '../../../http/pipeline/images.ts';
import { fill, type Language } from '../../languages/language.ts';
import type { Canvas } from '../drawing/canvas.ts';
import { padding } from '../drawing/frame.ts';

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
