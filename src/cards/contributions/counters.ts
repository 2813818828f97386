import { type Canvas, type TextPlace, textStyles } from '../canvas.ts';
import { padding } from '../frame.ts';
import { type Grid, gridOf } from '../grid.ts';
import { icons } from '../icons.ts';
import { px } from '../markup.ts';
import type { CardOptions } from '../options.ts';
import { measure } from '../text/measure.ts';
import type { Counter } from './content.ts';

const cellHeight = 46;
const lineHeight = 30;
const iconRoom = 26;
const gap = 12;
/** The preferred width of a cell, and the least room for a number. */
const usualWidth = 122;
const leastNumber = 44;

/**
 * Places counters in as many columns as have room for their labels.
 * @param widthPx the width of the card.
 */
export function counterGrid(
  counters: readonly Pick<Counter, 'name'>[],
  options: CardOptions,
  widthPx: number,
): {
  heightPx: number;
  draw: (canvas: Canvas, shown: readonly Counter[], y: number) => void;
} {
  const grid = gridOfCounters(counters, options, widthPx - 2 * padding);
  const rowHeight = grid.columns === 1 ? lineHeight : cellHeight;
  return {
    heightPx: grid.rowsOf(counters.length) * rowHeight,
    draw: (canvas, shown, y) => {
      const style = styleOfNumbers(shown, grid, options);
      for (const [index, counter] of shown.entries()) {
        const { at, row } = grid.placeOf(index);
        const place = { at, y: y + row * rowHeight, width: grid.itemWidth, style };
        if (grid.columns === 1) drawLine(canvas, counter, options, place);
        else drawCell(canvas, counter, options, place);
      }
    },
  };
}

/** Returns a grid in which no column is shorter than the first by more than one counter. */
function gridOfCounters(counters: readonly Pick<Counter, 'name'>[], options: CardOptions, maxWidth: number): Grid {
  const { language, hide } = options;
  const room = hide.has('icons') ? 0 : iconRoom;
  const widest = Math.max(leastNumber, ...counters.map(({ name }) => labelWidth(language.words[name])));
  const least = room + widest;
  const place = { at: padding, maxWidth, gap, usual: Math.max(usualWidth, least), least };
  if (options.columns !== undefined) return gridOf({ ...place, columns: options.columns });
  const { columns } = gridOf({ ...place, columns: undefined });
  const rows = Math.ceil(counters.length / columns);
  return gridOf({ ...place, columns: Math.max(1, Math.ceil(counters.length / Math.max(1, rows))) });
}

const labelWidths = new Map<string, number>();

/** Returns the width of a label. Widths are cached, because the same few labels are measured for every card. */
function labelWidth(label: string): number {
  const known = labelWidths.get(label) ?? Math.ceil(measure(label, textStyles.label.sizePx));
  labelWidths.set(label, known);
  return known;
}

interface CellPlace {
  at: number;
  y: number;
  width: number;
  /** The style of all numbers. */
  style: NumberStyle;
}

type NumberStyle = 'number' | 'name';

/** Returns the room for the number of a counter. */
function numberRoom({ name }: Counter, { columns, itemWidth }: Grid, { hide, language }: CardOptions): number {
  const room = itemWidth - (hide.has('icons') ? 0 : iconRoom);
  return columns === 1 ? room - labelWidth(language.words[name]) - gap : room;
}

/** Returns the style in which all numbers have room in full, so that those of one card look alike. */
function styleOfNumbers(counters: readonly Counter[], grid: Grid, options: CardOptions): NumberStyle {
  const { sizePx, weight } = textStyles.number;
  const haveRoom = counters.every(
    (counter) => measure(counter.full, sizePx, weight) <= numberRoom(counter, grid, options),
  );
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
