import type { CalendarInput } from '../../../http/pipeline/images.ts';
import type { Language } from '../../languages/language.ts';
import { defineCard, nameIn } from '../card.ts';
import { Canvas, px, textStyles } from '../drawing/canvas.ts';
import { frame, padding } from '../drawing/frame.ts';
import type { CardOptions } from '../options.ts';
import { type Coverage, coverageOfCalendar, formatCoverage } from '../states/coverage.ts';
import { joinParts } from '../text/fit.ts';
import { measure } from '../text/measure.ts';

const defaultWidthPx = 780;
/** The least width of a window that is shorter than a year: its title and its legend have room. */
const leastWindowWidthPx = 360;
const weeksOfYear = 53;
const dayMs = 86_400_000;
const titleHeight = 34;
const monthHeight = 18;
const bandGap = 10;
const maxBands = 4;
/** The least distance, in pixels, between two days: closer ones cannot be distinguished. */
const leastStep = 8.5;
/** The greatest distance between two days of a window that is shorter than a year. */
const mostStep = 20;

/** The positions of the squares of the days: the weeks in one band, or in several where squares would be too small. */
interface Layout {
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
interface Band {
  /** The y coordinate of the first row of squares. */
  y: number;
  /** The number of weeks in the bands before it, and in this one. */
  firstWeek: number;
  weeks: number;
}

/** The days that have columns: those of a window; without `from` the last year. */
type ShownDays = Pick<CalendarInput, 'until'> & Partial<Pick<CalendarInput, 'from'>>;

const legendHeight = 30;
/** The height of a line about the coverage that has no room beside the legend. */
const lineHeight = 18;
const shadeCount = 5;

interface Content {
  who: string;
  calendar: CalendarInput;
  /** The days that have columns. */
  shown: ShownDays;
  coverage: Coverage;
}

/** The card of contributions on each day of the last year or of a window, with a column for each week. */
export const calendarCard = defineCard<Content>({
  parts: { hideable: ['title', 'months', 'weekdays', 'legend', 'coverage'], showable: [] },
  nothingOf: 'contributions',
  emptySize: (options) => ({
    widthPx: options.widthPx ?? defaultWidthPx,
    heightPx: toHeight(
      options,
      toLayout({ until: '1970-01-01' }, options),
      toFooter(options, [options.language.words.inCollected]),
    ),
  }),
  read: ({ envelope, calendar }) => {
    const who = nameIn(envelope);
    if (calendar === undefined || who === undefined) return undefined;
    return {
      who,
      calendar,
      shown: envelope.meta_data.window === undefined ? { until: calendar.until } : calendar,
      coverage: coverageOfCalendar(calendar, envelope),
    };
  },
  draw: (content, given) => {
    const { who, calendar, shown } = content;
    const width = toWidth(shown, given);
    const options = { ...given, widthPx: width };
    const { language, hide } = options;
    const layout = toLayout(shown, options);
    const coverage = formatCoverage(content.coverage, language);
    const footer = toFooter(options, coverage);
    const year = toYear(calendar);
    const summary = formatSummary(content, language);
    const canvas = new Canvas(width, language);
    if (!hide.has('title')) {
      const maxWidth = width - 2 * padding;
      const { sizePx, weight } = textStyles.name;
      const own =
        measure(summary, sizePx, weight) <= maxWidth ? summary : language.plural('contributions', calendar.total);
      canvas.headline({ at: padding, y: padding + 15, maxWidth }, options.title ?? own);
    }
    if (!hide.has('months')) drawMonths(canvas, layout, options, shown);
    if (!hide.has('weekdays')) drawWeekdays(canvas, layout, options);
    drawDays(canvas, layout, year);
    const height = toHeight(options, layout, footer);
    const end = width - padding - (shown.from === undefined ? layout.step - layout.square : 0);
    drawFooter(canvas, options, footer, { end, bottom: height - padding, maxWidth: width - 2 * padding });
    const busiest = [...year.counts].toSorted(([, one], [, other]) => other - one)[0];
    const best =
      busiest === undefined ? '' : ` ${language.date(new Date(busiest[0]))}: ${language.number(busiest[1])}.`;
    return frame(options, {
      width,
      height,
      title: `${who}: ${summary}`,
      description: `${summary}. ${coverage.join(' · ')}.${best}`,
      body: canvas.body(),
      usesShades: true,
    });
  },
});

function formatSummary({ calendar: { from, until, total }, shown }: Content, language: Language): string {
  const { plural, dateRange } = language;
  if (shown.from === undefined) return plural('contributionsInYear', total);
  return `${plural('contributions', total)} · ${dateRange(new Date(from), new Date(until))}`;
}

function toHeight(options: CardOptions, { bands, step, square }: Layout, { lines, isBelowLegend }: Footer): number {
  const { hide } = options;
  const more = Math.max(0, isBelowLegend ? lines.length : lines.length - 1);
  const below = hide.has('legend') && hide.has('coverage') ? 0 : legendHeight + more * lineHeight;
  return Math.ceil((bands.at(-1)?.y ?? 0) + 6 * step + square + below + padding - 2);
}

function drawWeekdays(canvas: Canvas, { labelsAt, at, bands, step, square }: Layout, options: CardOptions): void {
  for (const { y } of bands) {
    for (const { row, name } of labelledWeekdays(options)) {
      const place = { at: labelsAt, y: y + row * step + square / 2 + 4, maxWidth: at - labelsAt - 6 };
      canvas.text('small', place, options.language.weekday(name));
    }
  }
}

/** Writes the name of each month at the week with its first day, where the names have room. */
function drawMonths(
  canvas: Canvas,
  { at, bands, step, begin }: Layout,
  { language, widthPx = defaultWidthPx }: CardOptions,
  shown: ShownDays,
): void {
  for (const band of bands) {
    // The squares of a short window are narrower than its card.
    const end = shown.from === undefined ? at + band.weeks * step : widthPx - padding;
    let free = at;
    for (const { week, name } of toMonths(band, { begin, step }, language, shown)) {
      const place = at + week * step;
      const width = measure(name, 11);
      if (place < free || place + width > end) continue;
      canvas.text('small', { at: place, y: band.y - 7, maxWidth: end - place }, name);
      free = place + width + 6;
    }
  }
}

/** Returns the months that begin in a band, and that in which a window begins, where the next one leaves it room. */
function toMonths(
  { firstWeek, weeks }: Layout['bands'][number],
  { begin, step }: Pick<Layout, 'begin' | 'step'>,
  language: Language,
  { from, until }: ShownDays,
): { week: number; name: string }[] {
  const months = Array.from({ length: weeks }, (_, week) => week).flatMap((week) => {
    const days = Array.from({ length: 7 }, (_, day) => new Date(begin + ((firstWeek + week) * 7 + day) * dayMs));
    const first = days.find((day) => day.getUTCDate() === 1);
    return first === undefined || first > new Date(until) || (from !== undefined && first < new Date(from))
      ? []
      : [{ week, name: language.month(first) }];
  });
  if (from === undefined || firstWeek > 0) return months;
  const name = language.month(new Date(from));
  const hasRoom = (months[0]?.week ?? Infinity) * step >= measure(name, 11) + 6;
  return hasRoom ? [{ week: 0, name }, ...months] : months;
}

interface Year {
  counts: ReadonlyMap<number, number>;
  /** The first and the last day, in ms since 1970. */
  from: number;
  until: number;
  steps: readonly number[];
}

function toYear({ from, until, days }: CalendarInput): Year {
  const counts = new Map(days.map(({ day, contributions }) => [Date.parse(day), contributions]));
  return { counts, from: Date.parse(from), until: Date.parse(until), steps: toSteps([...counts.values()]) };
}

/** Draws one path for each step of the scale, in units of the grid, which takes few bytes for many squares. */
function drawDays(canvas: Canvas, { at, bands, step, begin }: Layout, year: Year): void {
  const direction = canvas.left(0, 1) === 0 ? 1 : -1;
  const left = canvas.left(at) + direction * step * 0.1;
  for (const band of bands) {
    const paths = Array.from({ length: shadeCount }, () => '');
    for (let index = 0; index < band.weeks * 7; index += 1) {
      const day = begin + (band.firstWeek * 7 + index) * dayMs;
      if (day < year.from || day > year.until) continue;
      const shade = toShade(year.counts.get(day) ?? 0, year.steps);
      paths[shade] = `${paths[shade]}M${Math.floor(index / 7)} ${index % 7}h.58v.58h-.58z`;
    }
    const drawn = paths.flatMap((path, shade) => (path === '' ? [] : [`<path class="d${shade}" d="${path}"/>`]));
    const move = `translate(${px(left)} ${px(band.y + step * 0.1)}) scale(${px(direction * step)} ${px(step)})`;
    // Round joins of the outlines make the corners round.
    canvas.add(`<g transform="${move}" stroke-width=".2" stroke-linejoin="round">\n${drawn.join('\n')}\n</g>`);
  }
}

/** Returns the values at which the steps of the scale begin: quarters of the days with contributions. */
export function toSteps(counts: readonly number[]): number[] {
  const sorted = counts.filter((count) => count > 0).toSorted((one, other) => one - other);
  return [0.25, 0.5, 0.75].map((share) => sorted[Math.floor(sorted.length * share)] ?? 1);
}

/** Returns 0 for a day without contributions, otherwise 1 to 4. */
export function toShade(count: number, steps: readonly number[]): number {
  return count <= 0 ? 0 : 1 + steps.filter((step) => count > step).length;
}

const legend = { square: 10, step: 13, gap: 8, wordRoom: 80 };
const squaresWidth = (shadeCount - 1) * legend.step + legend.square;

function wordWidth(word: string): number {
  return Math.min(legend.wordRoom, measure(word, 11));
}

function legendWidth({ language: { words } }: CardOptions): number {
  return wordWidth(words.fewer) + legend.gap + squaresWidth + legend.gap + wordWidth(words.most);
}

/** The texts below the days, beside the legend where there is room. */
interface Footer {
  lines: string[];
  isBelowLegend: boolean;
}

/** @param coverage texts that are not broken into lines. */
function toFooter(options: CardOptions, coverage: readonly string[]): Footer {
  const { hide, widthPx = defaultWidthPx } = options;
  if (hide.has('coverage')) return { lines: [], isBelowLegend: false };
  const maxWidth = widthPx - 2 * padding;
  const beside = hide.has('legend') ? maxWidth : maxWidth - legendWidth(options) - padding;
  if (measure(coverage.join(' · '), 11) <= beside) return { lines: [coverage.join(' · ')], isBelowLegend: false };
  return { lines: joinParts(coverage, maxWidth, 11), isBelowLegend: !hide.has('legend') };
}

function drawFooter(
  canvas: Canvas,
  options: CardOptions,
  { lines, isBelowLegend }: Footer,
  { end, bottom, maxWidth }: { end: number; bottom: number; maxWidth: number },
): void {
  const hasLegend = !options.hide.has('legend');
  if (hasLegend) drawLegend(canvas, options, { end, y: isBelowLegend ? bottom - lines.length * lineHeight : bottom });
  const beside = hasLegend && !isBelowLegend ? legendWidth(options) + padding : 0;
  const y = bottom - (lines.length - 1) * lineHeight;
  canvas.lines('small', { at: padding, y, step: lineHeight, maxWidth: maxWidth - beside }, lines);
}

function drawLegend(
  canvas: Canvas,
  { language: { words } }: CardOptions,
  { end, y }: { end: number; y: number },
): void {
  const squaresEnd = end - wordWidth(words.most) - legend.gap;
  const squares = squaresEnd - squaresWidth;
  const maxWidth = legend.wordRoom;
  canvas.text('small', { at: squaresEnd + legend.gap, y, maxWidth }, words.most);
  canvas.text('small', { at: squares - legend.gap, y, maxWidth, anchor: 'end' }, words.fewer);
  for (let shade = 0; shade < shadeCount; shade += 1) {
    canvas.rect(
      { at: squares + shade * legend.step, y: y - 9, width: legend.square, height: legend.square, radius: 2 },
      `class="d${shade}" stroke-width="0"`,
    );
  }
}

/** Returns the width of a card whose request has none: that of a year, or as much as the weeks of a window need. */
function toWidth(days: ShownDays, options: CardOptions): number {
  if (options.widthPx !== undefined || days.from === undefined) return options.widthPx ?? defaultWidthPx;
  const needed = 2 * padding + labelsWidth(options) + toWeeks(days, options).count * mostStep;
  return Math.ceil(Math.min(defaultWidthPx, Math.max(leastWindowWidthPx, needed)));
}

/** Places the squares of days. A window whose squares do not fill the width stands in its middle. */
function toLayout(days: ShownDays, options: CardOptions): Layout {
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
function labelledWeekdays({ language }: CardOptions): { row: number; name: Date }[] {
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
