import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { Canvas } from './canvas.ts';
import { defineCard, type Images } from './card.ts';
import { frame, padding } from './frame.ts';
import { gridOf } from './grid.ts';
import { px } from './markup.ts';
import type { CardOptions } from './options.ts';

const defaultWidthPx = 480;
const iconSize = 44;
const textAt = iconSize + 12;
const rowHeight = 64;
const titleHeight = 34;
const gap = 16;
const bareGap = 12;
const mostLarge = 12;
/** The width of an icon with some letters of a name, in pixels. */
const leastWidth = 112;

const Item = Type.Object({
  name: Type.String(),
  repository_name: Type.String(),
  icon_url: Type.String(),
  awarded_dttm: Type.String(),
});
type Item = Static<typeof Item>;
const compiledItem = Compile(Item);

/**
 * The card of awards: icon, name, repository and date; with `hide=names` without words, and with `raw` the icons alone.
 */
export const achievementsCard = defineCard<Item[]>({
  parts: { hideable: ['title', 'names', 'repositories', 'dates'], showable: [] },
  nothingOf: 'achievements',
  emptySize: (options) => ({
    widthPx: options.widthPx ?? defaultWidthPx,
    heightPx: options.isRaw ? iconSize : padding + titleOf(options) + 2 * rowHeight,
  }),
  read: ({ envelope }) => {
    const items = envelope.data.filter((item) => compiledItem.Check(item));
    return items.length === 0 ? undefined : items;
  },
  images: (items) => items.map(({ icon_url }) => icon_url),
  // Many large images would make the card large.
  imageSize: ({ length }) => (length > mostLarge ? 'small' : 'large'),
  draw: (items, options, images) => {
    const title = options.title ?? options.language.words.achievementsTitle;
    const texts = { title, description: describe(items, options) };
    if (options.isRaw) {
      const canvas = new Canvas(rawWidthOf(items.length, options), options.language);
      const height = drawIcons(canvas, items, {
        options,
        images,
        at: 0,
        top: 0,
        maxWidth: rawWidthOf(items.length, options),
      });
      return frame(options, { ...texts, width: rawWidthOf(items.length, options), height, body: canvas.body() });
    }
    const width = options.widthPx ?? defaultWidthPx;
    const canvas = new Canvas(width, options.language);
    const maxWidth = width - 2 * padding;
    if (!options.hide.has('title')) canvas.headline({ at: padding, y: padding + 15, maxWidth }, title);
    const place = { options, images, at: padding, top: padding + titleOf(options), maxWidth };
    const bottom = options.hide.has('names') ? drawIcons(canvas, items, place) : drawList(canvas, items, place);
    return frame(options, { ...texts, width, height: bottom + padding, body: canvas.body() });
  },
});

interface Place {
  options: CardOptions;
  images: Images;
  at: number;
  top: number;
  maxWidth: number;
}

function describe(items: readonly Item[], { language }: CardOptions): string {
  return items
    .map(({ name, repository_name, awarded_dttm }) => {
      const date = language.date(new Date(awarded_dttm));
      return `${name} (${repository_name === '' ? date : `${repository_name}, ${date}`})`;
    })
    .join(', ');
}

function titleOf({ hide }: CardOptions): number {
  return hide.has('title') ? 0 : titleHeight;
}

/** Returns the width of the icons in pixels. */
function rawWidthOf(count: number, { widthPx = defaultWidthPx, columns }: CardOptions): number {
  const thatFit = Math.floor((widthPx + bareGap) / (iconSize + bareGap));
  return Math.min(count, columns ?? thatFit, thatFit) * (iconSize + bareGap) - bareGap;
}

/** @returns the y coordinate of the lower end. */
function drawList(canvas: Canvas, items: readonly Item[], { options, images, at: left, top, maxWidth }: Place): number {
  const { language, hide, columns } = options;
  const grid = gridOf({ at: left, maxWidth, gap, columns, usual: 184, least: leastWidth, most: 4 });
  for (const [index, item] of items.entries()) {
    const { at, row } = grid.placeOf(index);
    const y = top + row * rowHeight;
    drawIcon(canvas, { at, y }, item, images);
    const lines = [
      ...(hide.has('repositories') || item.repository_name === '' ? [] : [item.repository_name]),
      ...(hide.has('dates') ? [] : [language.date(new Date(item.awarded_dttm))]),
    ];
    const place = { at: at + textAt, maxWidth: grid.itemWidth - textAt };
    const first = y + 27 - lines.length * 8;
    canvas.text('name', { ...place, y: first }, item.name);
    for (const [line, text] of lines.entries()) canvas.text('label', { ...place, y: first + 16 * (line + 1) }, text);
  }
  return top + grid.rowsOf(items.length) * rowHeight - (rowHeight - iconSize);
}

/** @returns the y coordinate of the lower end. */
function drawIcons(
  canvas: Canvas,
  items: readonly Item[],
  { options, images, at: left, top, maxWidth }: Place,
): number {
  const { columns } = options;
  const grid = gridOf({ at: left, maxWidth, gap: bareGap, columns, usual: iconSize, least: iconSize });
  for (const [index, item] of items.entries()) {
    const { at, row } = grid.placeOf(index);
    drawIcon(canvas, { at, y: top + row * (iconSize + bareGap) }, item, images);
  }
  return top + grid.rowsOf(items.length) * (iconSize + bareGap) - bareGap;
}

/** Draws the icon, or a medal where there is none. */
function drawIcon(canvas: Canvas, { at, y }: { at: number; y: number }, { icon_url }: Item, images: Images): void {
  const left = canvas.left(at, iconSize);
  const image = images.get(icon_url);
  if (image !== undefined) {
    canvas.add(`<image x="${px(left)}" y="${px(y)}" width="${iconSize}" height="${iconSize}" href="${image}"/>`);
    return;
  }
  const middle = left + iconSize / 2;
  canvas.add(
    `<circle class="t" cx="${px(middle)}" cy="${px(y + iconSize / 2)}" r="${iconSize / 2}"/>
<g class="k" stroke-width="2" stroke-linejoin="round" transform="translate(${px(middle - 12)} ${px(y + 9)})"><path d="M8 15l-2 9 6-3.5 6 3.5-2-9"/><circle cx="12" cy="9" r="7"/></g>`,
  );
}
