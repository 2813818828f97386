import type { Envelope } from '../http/envelope.ts';
import type { CalendarInput } from '../http/images.ts';
import { fill, type Language } from './languages/language.ts';

/** The data that the numbers of a card cover, and the time as of which they are known. */
export interface Coverage {
  includesPrivate: boolean;
  /** True when only contributions in collected repositories are counted. */
  isCollected: boolean;
  isIncomplete: boolean;
  asOf: Date | undefined;
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
    asOf: asOfResponse(envelope),
  };
}

/** Returns the texts about a coverage, in parts that stand side by side. */
export function coverageOf(coverage: Coverage, { words, date }: Language): string[] {
  const { includesPrivate, isCollected, isIncomplete, asOf } = coverage;
  return [
    includesPrivate ? words.publicAndPrivate : words.publicOnly,
    ...(isCollected ? [words.inCollected] : []),
    ...(isIncomplete ? [words.stillCounting] : []),
    ...(asOf === undefined ? [] : [fill(words.asOf, { date: date(asOf) })]),
  ];
}
