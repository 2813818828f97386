import type { CounterName } from '../../../model/counters.ts';
import { type Canvas, px, type TextPlace, textStyles } from '../drawing/canvas.ts';
import { padding } from '../drawing/frame.ts';
import { type Grid, toGrid } from '../drawing/grid.ts';
import type { CardOptions } from '../options.ts';
import { measure } from '../text/measure.ts';
import type { Counter } from './content.ts';

/** Icons of 16 by 16 pixels, drawn in lines. */
export const icons: Readonly<Record<CounterName, string>> = {
  commits: '<circle cx="8" cy="8" r="2.75"/><path d="M1 8h4.25M10.75 8H15"/>',
  pull_requests:
    '<circle cx="4" cy="3.5" r="1.75"/><circle cx="4" cy="12.5" r="1.75"/><circle cx="12" cy="12.5" r="1.75"/><path d="M4 5.25v5.5M12 10.75V6a2.5 2.5 0 0 0-2.5-2.5H7.75M9.5 1.5l-2 2 2 2"/>',
  pull_requests_merged:
    '<circle cx="4" cy="3.5" r="1.75"/><circle cx="4" cy="12.5" r="1.75"/><circle cx="12" cy="8" r="1.75"/><path d="M4 5.25v5.5M4 5.25C4.5 7 6.5 8 10.25 8"/>',
  reviews: '<path d="M2 3.25h12v8H7.5L4.5 14v-2.75H2z"/><path d="M5.5 7.25l1.75 1.75L10.75 5.5"/>',
  issues: '<circle cx="8" cy="8" r="6.25"/><circle cx="8" cy="8" r=".9"/>',
  issues_closed: '<circle cx="8" cy="8" r="6.25"/><path d="M5.25 8.25l2 2 3.75-4"/>',
  discussions: '<path d="M1.5 2.5h9v6.25H6L3.5 11V8.75h-2zM12.5 6h2v6.25h-2v2L10 12.25H7"/>',
  discussions_answered: '<path d="M2 3h12v8.25H8L5 14v-2.75H2z"/><path d="M5.5 7h5"/>',
  contributed_to:
    '<path d="M3 13V3.25A1.75 1.75 0 0 1 4.75 1.5H13v9.5H4.75A1.75 1.75 0 0 0 3 12.75 1.75 1.75 0 0 0 4.75 14.5H13V11M6 4.5h4"/>',
  stars: '<path d="M8 1.75l1.95 3.95 4.3.65-3.1 3.05.7 4.35L8 11.7l-3.85 2.05.7-4.35-3.1-3.05 4.3-.65z"/>',
};

const cellHeight = 46;
const lineHeight = 30;
const iconRoom = 26;
const gap = 12;
/** The preferred width of a cell, and the least room for a number. */
const usualWidth = 122;
const leastNumber = 44;

/** A counter whose place is chosen. An empty card knows no numbers. */
type Placed = Pick<Counter, 'name'> & Partial<Counter>;

/**
 * Places counters in as many columns as have room for their labels and numbers.
 * @param widthPx the width of the card.
 */
export function counterGrid(
  counters: readonly Placed[],
  options: CardOptions,
  widthPx: number,
): {
  heightPx: number;
  draw: (canvas: Canvas, shown: readonly Counter[], y: number) => void;
} {
  const grid = gridOfCounters(counters, options, widthPx - 2 * padding);
  const isInLines = haveRoomInLines(counters, grid, options);
  const rowHeight = isInLines ? lineHeight : cellHeight;
  return {
    heightPx: grid.countRows(counters.length) * rowHeight,
    draw: (canvas, shown, y) => {
      const style = styleOfNumbers(shown, (counter) => numberRoom(counter, { isInLines, grid, options }));
      for (const [index, counter] of shown.entries()) {
        const { at, row } = grid.toPlace(index);
        const place = { at, y: y + row * rowHeight, width: grid.itemWidth, style };
        if (isInLines) drawLine(canvas, counter, options, place);
        else drawCell(canvas, counter, options, place);
      }
    },
  };
}

/** Returns a grid in which no column is shorter than the first by more than one counter. */
function gridOfCounters(counters: readonly Placed[], options: CardOptions, maxWidth: number): Grid {
  const { language, hide } = options;
  const room = hide.has('icons') ? 0 : iconRoom;
  const labels = counters.map(({ name }) => labelWidth(language.words[name]));
  const numbers = counters.map((counter) => measureLeastWidth(counter, options));
  const least = room + Math.max(leastNumber, ...labels, ...numbers);
  const place = { at: padding, maxWidth, gap, usual: Math.max(usualWidth, least), least };
  if (options.columns !== undefined) return toGrid({ ...place, columns: options.columns });
  const { columns } = toGrid({ ...place, columns: undefined });
  const rows = Math.ceil(counters.length / columns);
  return toGrid({ ...place, columns: Math.max(1, Math.ceil(counters.length / Math.max(1, rows))) });
}

/** Returns whether each number of a single column has room beside its label. Without it, numbers stand above their labels. */
function haveRoomInLines(counters: readonly Placed[], grid: Grid, options: CardOptions): boolean {
  if (grid.columns !== 1) return false;
  return counters.every((counter) => {
    return measureLeastWidth(counter, options) <= numberRoom(counter, { isInLines: true, grid, options });
  });
}

/** Returns the width of a number in the small style, shortened where that is less; 0 where it is not known. */
function measureLeastWidth({ value, full }: Placed, { language }: CardOptions): number {
  if (full === undefined || value === undefined) return 0;
  const { sizePx, weight } = textStyles.name;
  const width = measure(full, sizePx, weight);
  return width <= leastNumber ? width : Math.min(width, measure(language.compactNumber(value), sizePx, weight));
}

function labelWidth(label: string): number {
  return Math.ceil(measure(label, textStyles.label.sizePx));
}

interface CellPlace {
  at: number;
  y: number;
  width: number;
  /** The style of all numbers. */
  style: NumberStyle;
}

type NumberStyle = 'number' | 'name';

/** Returns the room for the number of a counter: beside its label in a line, above it in a cell. */
function numberRoom(
  { name }: Placed,
  { isInLines, grid, options }: { isInLines: boolean; grid: Grid; options: CardOptions },
): number {
  const room = grid.itemWidth - (options.hide.has('icons') ? 0 : iconRoom);
  return isInLines ? room - labelWidth(options.language.words[name]) - gap : room;
}

/** Returns the style in which all numbers have room in full, so that those of one card look alike. */
function styleOfNumbers(counters: readonly Counter[], measureRoom: (counter: Counter) => number): NumberStyle {
  const { sizePx, weight } = textStyles.number;
  const haveRoom = counters.every((counter) => measure(counter.full, sizePx, weight) <= measureRoom(counter));
  return haveRoom ? 'number' : 'name';
}

/** Writes a number, shortened where it has no room in full. */
function drawNumber(
  canvas: Canvas,
  { value, full }: Counter,
  { style, language }: Pick<CellPlace, 'style'> & Pick<CardOptions, 'language'>,
  place: TextPlace,
): void {
  const { sizePx, weight } = textStyles[style];
  canvas.text(style, place, measure(full, sizePx, weight) <= place.maxWidth ? full : language.compactNumber(value));
}

function drawCell(
  canvas: Canvas,
  counter: Counter,
  { hide, language }: CardOptions,
  { at, y, width, style }: CellPlace,
): void {
  const { name } = counter;
  const room = hide.has('icons') ? 0 : iconRoom;
  const place = { at: at + room, maxWidth: width - room };
  if (room > 0) drawIcon(canvas, name, at, y);
  drawNumber(canvas, counter, { style, language }, { ...place, y: y + 14 });
  canvas.text('label', { ...place, y: y + 31 }, language.words[name]);
}

function drawLine(
  canvas: Canvas,
  counter: Counter,
  { hide, language }: CardOptions,
  { at, y, width, style }: CellPlace,
): void {
  const { name } = counter;
  const room = hide.has('icons') ? 0 : iconRoom;
  const label = { at: at + room, y: y + 13, maxWidth: width - room };
  if (room > 0) drawIcon(canvas, name, at, y);
  const used = canvas.text('label', label, language.words[name]);
  const maxWidth = label.maxWidth - used - gap;
  drawNumber(canvas, counter, { style, language }, { at: at + width, y: y + 14, maxWidth, anchor: 'end' });
}

/** Draws the icon of a counter, 16 pixels wide. */
export function drawIcon(canvas: Canvas, name: Counter['name'], at: number, y: number): void {
  canvas.add(
    `<g class="k" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" transform="translate(${px(canvas.left(at, 16))} ${px(y)})">${icons[name]}</g>`,
  );
}
