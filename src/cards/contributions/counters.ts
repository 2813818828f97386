import { type Canvas, textStyles } from '../canvas.ts';
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
      for (const [index, counter] of shown.entries()) {
        const { at, row } = grid.placeOf(index);
        const place = { at, y: y + row * rowHeight, width: grid.itemWidth };
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
}

function drawCell(
  canvas: Canvas,
  { name, value, full }: Counter,
  options: CardOptions,
  { at, y, width }: CellPlace,
): void {
  const room = options.hide.has('icons') ? 0 : iconRoom;
  const place = { at: at + room, maxWidth: width - room };
  if (room > 0) drawIcon(canvas, name, at, y);
  const isShort = measure(full, textStyles.number.sizePx, 'bold') <= place.maxWidth;
  canvas.text('number', { ...place, y: y + 14 }, isShort ? full : options.language.compactNumber(value));
  canvas.text('label', { ...place, y: y + 31 }, options.language.words[name]);
}

function drawLine(
  canvas: Canvas,
  { name, value, full }: Counter,
  options: CardOptions,
  { at, y, width }: CellPlace,
): void {
  const room = options.hide.has('icons') ? 0 : iconRoom;
  const label = { at: at + room, y: y + 13, maxWidth: width - room };
  if (room > 0) drawIcon(canvas, name, at, y);
  const used = canvas.text('label', label, options.language.words[name]);
  const maxWidth = label.maxWidth - used - gap;
  const isShort = measure(full, textStyles.number.sizePx, 'bold') <= maxWidth;
  const place = { at: at + width, y: y + 14, maxWidth, anchor: 'end' } as const;
  canvas.text('number', place, isShort ? full : options.language.compactNumber(value));
}

/** Draws the icon of a counter, 16 pixels wide. */
export function drawIcon(canvas: Canvas, name: Counter['name'], at: number, y: number): void {
  canvas.add(
    `<g class="k" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" transform="translate(${px(canvas.left(at, 16))} ${px(y)})">${icons[name]}</g>`,
  );
}
