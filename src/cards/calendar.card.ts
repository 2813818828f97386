import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { DayOfContributions } from '../http/pictures.ts';
import { Canvas } from './canvas.ts';
import { defineCard } from './card.ts';
import { frame, padding } from './frame.ts';
import type { Look } from './look.ts';
import { px } from './markup.ts';
import { measure } from './text/measure.ts';

const defaultWidthPx = 780;
const weeks = 53;
const dayMs = 86_400_000;
const titleHeight = 34;
const monthHeight = 18;
const legendHeight = 30;
const shadeCount = 5;

const Item = Type.Object({ name: Type.String(), display_name: Type.String() });
const compiledItem = Compile(Item);

interface Content {
  who: string;
  days: readonly DayOfContributions[];
  until: Date;
}

/** Where the squares of the days stand. */
interface Grid {
  /** From the side that lines begin at. */
  at: number;
  y: number;
  step: number;
  square: number;
  /** The first day of the first column. */
  begin: number;
}

/** Contributions on each day of the last year, a column for each week. */
export const calendarCard = defineCard<Content>({
  parts: { hideable: ['title', 'months', 'weekdays', 'legend', 'coverage'], showable: [] },
  emptySize: (look) => ({
    widthPx: look.widthPx ?? defaultWidthPx,
    heightPx: heightOf(look, gridOf(look, new Date(0))),
  }),
  read: ({ answer, days, until }) => {
    const item = answer.data[0];
    if (days === undefined || until === undefined || !compiledItem.Check(item)) return undefined;
    return { who: item.display_name || item.name, days, until: new Date(until) };
  },
  draw: ({ who, days, until }, look) => {
    const { language, hide } = look;
    const grid = gridOf(look, until);
    const counts = new Map(days.map(({ day, contributions }) => [Date.parse(day), contributions]));
    const yearBegin = until.getTime() - 365 * dayMs;
    const shown = [...counts].filter(([day]) => day > yearBegin && day <= until.getTime());
    const total = shown.reduce((sum, [, count]) => sum + count, 0);
    const summary = language.plural(language.words.contributionsInYear, total);
    const width = look.widthPx ?? defaultWidthPx;
    const canvas = new Canvas(width, language);
    if (!hide.has('title')) {
      canvas.text('heading', { at: padding, y: padding + 15, room: width - 2 * padding }, look.title ?? summary);
    }
    if (!hide.has('months')) drawMonths(canvas, grid, look, until);
    if (!hide.has('weekdays')) drawWeekdays(canvas, grid, look);
    drawDays(canvas, grid, {
      counts,
      from: yearBegin,
      until: until.getTime(),
      steps: stepsOf(shown.map(([, count]) => count)),
    });
    const height = heightOf(look, grid);
    const bottom = height - padding;
    const legend = hide.has('legend') ? 0 : drawLegend(canvas, grid, look, bottom);
    const { inCollected } = language.words;
    if (!hide.has('coverage'))
      canvas.text('small', { at: padding, y: bottom, room: width - 3 * padding - legend }, inCollected);
    const busiest = shown.toSorted(([, one], [, other]) => other - one)[0];
    const best =
      busiest === undefined ? '' : ` ${language.date(new Date(busiest[0]))}: ${language.number(busiest[1])}.`;
    return frame(look, {
      width,
      height,
      title: `${who}: ${summary}`,
      description: `${summary}. ${inCollected}.${best}`,
      body: canvas.body(),
      usesShades: true,
    });
  },
});

function gridOf(look: Look, until: Date): Grid {
  const { language, hide, widthPx = defaultWidthPx } = look;
  const labels = hide.has('weekdays')
    ? 0
    : 8 + Math.min(48, Math.max(...weekdays(look).map(({ name }) => measure(language.weekday(name), 11))));
  const step = (widthPx - 2 * padding - labels) / weeks;
  const isoDay = until.getUTCDay() === 0 ? 7 : until.getUTCDay();
  const intoWeek = (isoDay - language.firstDayOfWeek + 7) % 7;
  return {
    at: padding + labels,
    y: padding + (hide.has('title') ? 0 : titleHeight) + (hide.has('months') ? 0 : monthHeight),
    step,
    square: step * 0.78,
    begin: until.getTime() - (intoWeek + (weeks - 1) * 7) * dayMs,
  };
}

function heightOf({ hide }: Look, { y, step, square }: Grid): number {
  return Math.ceil(
    y + 6 * step + square + (hide.has('legend') && hide.has('coverage') ? 0 : legendHeight) + padding - 2,
  );
}

/** Every other day of work is named. */
function weekdays({ language }: Look): { row: number; name: Date }[] {
  // 5 January 1970 was a Monday.
  return [1, 3, 5].map((isoDay) => ({
    row: (isoDay - language.firstDayOfWeek + 7) % 7,
    name: new Date((3 + isoDay) * dayMs),
  }));
}

function drawWeekdays(canvas: Canvas, { at, y, step, square }: Grid, look: Look): void {
  for (const { row, name } of weekdays(look)) {
    const place = { at: padding, y: y + row * step + square / 2 + 4, room: at - padding - 6 };
    canvas.text('small', place, look.language.weekday(name));
  }
}

/** Names each month at the week that holds its first day, as far as names have room. */
function drawMonths(canvas: Canvas, { at, y, step, begin }: Grid, { language }: Look, until: Date): void {
  const end = at + weeks * step;
  let free = at;
  for (let week = 0; week < weeks; week += 1) {
    const days = Array.from({ length: 7 }, (_, day) => new Date(begin + (week * 7 + day) * dayMs));
    const first = days.find((day) => day.getUTCDate() === 1);
    if (first === undefined || first > until) continue;
    const name = language.month(first);
    const place = at + week * step;
    const width = measure(name, 11);
    if (place < free || place + width > end) continue;
    canvas.text('small', { at: place, y: y - 7, room: end - place }, name);
    free = place + width + 6;
  }
}

/** A path for each step of the scale, in units of the grid: few bytes for many squares. */
function drawDays(
  canvas: Canvas,
  { at, y, step, begin }: Grid,
  year: { counts: ReadonlyMap<number, number>; from: number; until: number; steps: readonly number[] },
): void {
  const paths = Array.from({ length: shadeCount }, () => '');
  for (let index = 0; index < weeks * 7; index += 1) {
    const day = begin + index * dayMs;
    if (day <= year.from || day > year.until) continue;
    const shade = shadeOf(year.counts.get(day) ?? 0, year.steps);
    paths[shade] = `${paths[shade]}M${Math.floor(index / 7)} ${index % 7}h.58v.58h-.58z`;
  }
  const drawn = paths.flatMap((path, shade) => (path === '' ? [] : [`<path class="d${shade}" d="${path}"/>`]));
  const direction = canvas.left(0, 1) === 0 ? 1 : -1;
  const move = `translate(${px(canvas.left(at) + direction * step * 0.1)} ${px(y + step * 0.1)})`;
  const scale = `scale(${px(direction * step)} ${px(step)})`;
  // Round joins of the outlines make the corners round.
  canvas.add(`<g transform="${move} ${scale}" stroke-width=".2" stroke-linejoin="round">\n${drawn.join('\n')}\n</g>`);
}

/** Where the steps of the scale begin: quarters of the days with contributions. */
export function stepsOf(counts: readonly number[]): number[] {
  const sorted = counts.filter((count) => count > 0).toSorted((one, other) => one - other);
  return [0.25, 0.5, 0.75].map((share) => sorted[Math.floor(sorted.length * share)] ?? 1);
}

/** 0 for a day without any, else 1 to 4. */
export function shadeOf(count: number, steps: readonly number[]): number {
  return count <= 0 ? 0 : 1 + steps.filter((step) => count > step).length;
}

/** @returns how wide it is. */
function drawLegend(canvas: Canvas, { at, step, square }: Grid, look: Look, bottom: number): number {
  const { words } = look.language;
  const end = at + weeks * step - (step - square);
  const size = 10;
  const room = 80;
  const most = measure(words.most, 11);
  canvas.text('small', { at: end, y: bottom, room, anchor: 'end' }, words.most);
  const squares = end - Math.min(room, most) - 8 - shadeCount * 13;
  for (let shade = 0; shade < shadeCount; shade += 1) {
    canvas.rect(
      { at: squares + shade * 13, y: bottom - 9, width: size, height: size, radius: 2 },
      `class="d${shade}" stroke-width="0"`,
    );
  }
  return end - squares + 8 + canvas.text('small', { at: squares - 8, y: bottom, room, anchor: 'end' }, words.fewer);
}
