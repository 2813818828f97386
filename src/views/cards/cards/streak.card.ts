import type { CalendarInput, StreakInput as Streak, StreaksInput as Streaks } from '../../../http/pipeline/images.ts';
import type { Language } from '../../languages/language.ts';
import { defineCard, nameIn } from '../card.ts';
import { Canvas, textStyles } from '../drawing/canvas.ts';
import { frame, padding } from '../drawing/frame.ts';
import { type Grid, toGrid } from '../drawing/grid.ts';
import { drawRing } from '../drawing/ring.ts';
import type { CardOptions } from '../options.ts';
import { type Coverage, coverageLinePx, coverageOfCalendar, drawCoverage, formatCoverage } from '../states/coverage.ts';
import { joinParts, wrap, wrapRange } from '../text/fit.ts';
import { measure } from '../text/measure.ts';

const defaultWidthPx = 480;
const titleHeight = 40;
const ring = { size: 76, line: 6, room: 14 };
const gap = 16;
const dayMs = 86_400_000;
/** The width of a ring with its texts. */
const leastWidth = 190;
/** The room between the rings and the lines about the coverage. */
const below = 30;

interface Content {
  who: string;
  streaks: Streaks;
  /** The days of a window; undefined for the last year. */
  days: Pick<CalendarInput, 'from' | 'until'> | undefined;
  coverage: Coverage;
}

/** The card of the current and the longest streak of the last year, in days or weeks. */
export const streakCard = defineCard<Content>({
  parts: { hideable: ['title', 'longest', 'dates', 'coverage'], showable: [] },
  nothingOf: 'contributions',
  emptySize: (options) => {
    const { widthPx = defaultWidthPx } = options;
    return { widthPx, heightPx: toHeight(options, coverageLines([options.language.words.publicOnly], options)) };
  },
  read: ({ envelope, calendar, streaks }) => {
    const who = nameIn(envelope);
    if (calendar === undefined || streaks === undefined || who === undefined) return undefined;
    return {
      who,
      streaks,
      days: envelope.meta_data.window === undefined ? undefined : calendar,
      coverage: coverageOfCalendar(calendar, envelope),
    };
  },
  draw: (content, options) => {
    const { language, hide, title = content.who, widthPx = defaultWidthPx } = options;
    const { words } = language;
    const { current, longest } = content.streaks;
    const canvas = new Canvas(widthPx, language);
    const maxWidth = widthPx - 2 * padding;
    if (!hide.has('title')) canvas.headline({ at: padding, y: padding + 15, maxWidth }, title);
    const share = longest.length === 0 ? 0 : current.length / longest.length;
    const cells: Cell[] = [
      { label: words.currentStreak, streak: current, share },
      ...(hide.has('longest')
        ? []
        : [{ label: words.longestStreak, streak: longest, share: longest.length > 0 ? 1 : 0 }]),
    ];
    const grid = gridOfCells(options);
    const unit = content.streaks.unit;
    for (const [index, cell] of cells.entries())
      drawCell(canvas, cell, options, { ...toPlace(grid, index, options), unit });
    const { days } = content;
    const coverage = [
      ...(days === undefined ? [] : [language.dateRange(new Date(days.from), new Date(days.until))]),
      ...formatDaysOff(content.streaks, language),
      ...formatCoverage(content.coverage, language),
    ];
    const lines = coverageLines(coverage, options);
    const height = toHeight(options, lines);
    drawCoverage(canvas, lines, { height, maxWidth });
    const descriptions = cells.map(({ label, streak }) => {
      const dates = formatDates(streak, options);
      return `${label}: ${formatLength(streak, unit, options)}${dates === '' ? '' : ` (${dates})`}.`;
    });
    return frame(options, {
      width: widthPx,
      height,
      title: `${content.who}: ${words.currentStreak}, ${formatLength(current, unit, options)}`,
      description: `${descriptions.join(' ')} ${coverage.join(' · ')}.`,
      body: canvas.body(),
    });
  },
});

interface Cell {
  label: string;
  streak: Streak;
  /** The part of the ring that is drawn. */
  share: number;
}

function gridOfCells({ widthPx = defaultWidthPx, hide }: CardOptions): Grid {
  const columns = hide.has('longest') ? 1 : 2;
  return toGrid({ at: padding, maxWidth: widthPx - 2 * padding, gap, columns, usual: leastWidth, least: leastWidth });
}

function toPlace(grid: Grid, index: number, { hide }: CardOptions): { at: number; y: number; width: number } {
  const { at, row } = grid.toPlace(index);
  return { at, y: padding + (hide.has('title') ? 0 : titleHeight) + row * (ring.size + gap), width: grid.itemWidth };
}

function toHeight(options: CardOptions, lines: readonly string[]): number {
  const last = toPlace(gridOfCells(options), options.hide.has('longest') ? 0 : 1, options);
  return last.y + ring.size + (lines.length === 0 ? padding : below + lines.length * coverageLinePx);
}

function coverageLines(coverage: readonly string[], { hide, widthPx = defaultWidthPx }: CardOptions): string[] {
  return hide.has('coverage') ? [] : joinParts(coverage, widthPx - 2 * padding, textStyles.small.sizePx);
}

/** Returns the days off with their names; weeks have none. */
function formatDaysOff({ unit, daysOff }: Streaks, { words, weekday }: Language): string[] {
  if (unit === 'week' || daysOff.length === 0) return [];
  // 5 January 1970 was a Monday.
  const names = daysOff.map((isoDay) => weekday(new Date((3 + isoDay) * dayMs)));
  return [`${words.daysOff}: ${names.join(', ')}`];
}

function formatLength({ length }: Streak, unit: Streaks['unit'], { language }: CardOptions): string {
  return unit === 'day' ? language.days(length) : language.weeks(length);
}

function formatDates({ from, until }: Streak, { hide, language }: CardOptions): string {
  if (hide.has('dates') || from === null || until === null) return '';
  return language.dateRange(new Date(from), new Date(until));
}

/** Draws a ring with the number of days or weeks in it, and beside it its name and its dates. */
function drawCell(
  canvas: Canvas,
  { label, streak, share }: Cell,
  options: CardOptions,
  { at, y, width, unit }: { at: number; y: number; width: number; unit: Streaks['unit'] },
): void {
  drawRing(canvas, { at, y, size: ring.size, line: ring.line }, share, options.palettes.style);
  const number = options.language.number(streak.length);
  const room = ring.size - 2 * ring.line - 8;
  const isBig = measure(number, textStyles.big.sizePx, 'bold') <= room;
  const middle = {
    at: at + ring.size / 2,
    y: y + ring.size / 2 + (isBig ? 10 : 6),
    maxWidth: room,
    anchor: 'middle',
  } as const;
  canvas.text(isBig ? 'big' : 'number', middle, number);
  const maxWidth = width - ring.size - ring.room;
  const dates = formatDates(streak, options);
  const names = wrap(label, { maxWidth, maxLines: 2, ...textStyles.name });
  const details = [
    formatLength(streak, unit, options),
    ...(dates === '' ? [] : wrapRange(dates, { maxWidth, ...textStyles.small })),
  ];
  const place = { at: at + ring.size + ring.room, maxWidth, isProse: true };
  let baseline = y + ring.size / 2 + 5 - ((names.length - 1) * 17 + details.length * 16) / 2;
  for (const [index, name] of names.entries()) {
    if (index > 0) baseline += 17;
    canvas.text('name', { ...place, y: baseline }, name);
  }
  for (const [index, detail] of details.entries()) {
    baseline += 16;
    canvas.text(index === 0 ? 'label' : 'small', { ...place, y: baseline }, detail);
  }
}
