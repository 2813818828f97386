import type { CalendarInput } from '../../../http/pipeline/images.ts';
import { padding } from '../drawing/frame.ts';
import type { CardOptions } from '../options.ts';
import { measure } from '../text/measure.ts';

export const defaultWidthPx = 780;
/** The least width of a window that is shorter than a year: its title and its legend have room. */
const leastWindowWidthPx = 360;
const weeksOfYear = 53;
export const dayMs = 86_400_000;
const titleHeight = 34;
const monthHeight = 18;
const bandGap = 10;
const maxBands = 4;
/** The least distance, in pixels, between two days: closer ones cannot be distinguished. */
const leastStep = 8.5;
/** The greatest distance between two days of a window that is shorter than a year. */
const mostStep = 20;

/** The positions of the squares of the days: the weeks in one band, or in several where squares would be too small. */
export interface Layout {
  /** The distances from the side at which the labels of weekdays and the lines of squares begin. */
  labelsAt: number;
  at: number;
  step: number;
  square: number;
  /** The first day of the first column. */
  begin: number;
  bands: Band[];
}

/** Weeks that stand side by side. */
export interface Band {
  /** The y coordinate of the first row of squares. */
  y: number;
  /** The number of weeks in the bands before it, and in this one. */
  firstWeek: number;
  weeks: number;
}

/** The days that have columns: those of a window; without `from` the last year. */
export type ShownDays = Pick<CalendarInput, 'until'> & Partial<Pick<CalendarInput, 'from'>>;

/** Returns the width of a card whose request has none: that of a year, or as much as the weeks of a window need. */
export function toWidth(days: ShownDays, options: CardOptions): number {
  if (options.widthPx !== undefined || days.from === undefined) return options.widthPx ?? defaultWidthPx;
  const needed = 2 * padding + labelsWidth(options) + toWeeks(days, options).count * mostStep;
  return Math.ceil(Math.min(defaultWidthPx, Math.max(leastWindowWidthPx, needed)));
}

/** Places the squares of days. A window whose squares do not fill the width stands in its middle. */
export function toLayout(days: ShownDays, options: CardOptions): Layout {
  const { hide, widthPx = defaultWidthPx } = options;
  const labels = labelsWidth(options);
  const availableWidth = widthPx - 2 * padding - labels;
  const { count: weeks, begin } = toWeeks(days, options);
  let count = 1;
  while (count < maxBands && availableWidth / Math.ceil(weeks / count) < leastStep) count += 1;
  const perBand = Math.ceil(weeks / count);
  const widest = availableWidth / perBand;
  const step = days.from === undefined ? widest : Math.min(widest, Math.max(mostStep, availableWidth / weeksOfYear));
  const above = hide.has('months') ? 0 : monthHeight;
  const top = padding + (hide.has('title') ? 0 : titleHeight) + above;
  const labelsAt = padding + (availableWidth - perBand * step) / 2;
  return {
    labelsAt,
    at: labelsAt + labels,
    step,
    square: step * 0.78,
    begin,
    bands: Array.from({ length: count }, (_, index) => ({
      y: top + index * (7 * step + bandGap + above),
      firstWeek: index * perBand,
      weeks: Math.min(perBand, weeks - index * perBand),
    })),
  };
}

/** Returns the days with labels: every other working day. */
export function labelledWeekdays({ language }: CardOptions): { row: number; name: Date }[] {
  // 5 January 1970 was a Monday.
  return [1, 3, 5].map((isoDay) => ({
    row: (isoDay - language.firstDayOfWeek + 7) % 7,
    name: new Date((3 + isoDay) * dayMs),
  }));
}

function labelsWidth(options: CardOptions): number {
  if (options.hide.has('weekdays')) return 0;
  const widths = labelledWeekdays(options).map(({ name }) => measure(options.language.weekday(name), 11));
  return 8 + Math.min(48, Math.max(...widths));
}

/** Returns the number of columns, and the first day of the first one. */
function toWeeks({ from, until }: ShownDays, options: CardOptions): { count: number; begin: number } {
  const last = toWeekStart(until, options);
  const begin = from === undefined ? last - (weeksOfYear - 1) * 7 * dayMs : toWeekStart(from, options);
  return { count: (last - begin) / (7 * dayMs) + 1, begin };
}

/** Returns the first day of the week of a day. */
function toWeekStart(day: string, { language: { firstDayOfWeek } }: CardOptions): number {
  const time = new Date(day);
  return time.getTime() - ((time.getUTCDay() - firstDayOfWeek + 7) % 7) * dayMs;
}
