import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { Canvas } from './canvas.ts';
import { defineCard, type Images } from './card.ts';
import { frame, padding } from './frame.ts';
import type { Look } from './look.ts';
import { px } from './markup.ts';

const defaultWidthPx = 480;
const iconSize = 44;
const rowHeight = 72;
const titleHeight = 34;
const gap = 16;
const bareGap = 12;

const Item = Type.Object({
  name: Type.String(),
  repository_name: Type.String(),
  icon_url: Type.String(),
  awarded_dttm: Type.String(),
});
type Item = Static<typeof Item>;
const compiledItem = Compile(Item);

/** What was awarded: icon, name, repository, date; with `hide=names` the icons alone. */
export const achievementsCard = defineCard<Item[]>({
  parts: { hideable: ['title', 'names', 'repositories', 'dates'], showable: [] },
  emptySize: (look) => ({
    widthPx: look.widthPx ?? defaultWidthPx,
    heightPx: padding + titleOf(look) + 2 * rowHeight,
  }),
  read: ({ answer }) => {
    const items = answer.data.filter((item) => compiledItem.Check(item));
    return items.length === 0 ? undefined : items;
  },
  images: (items) => items.map(({ icon_url }) => icon_url),
  imageSize: 'large',
  draw: (items, look, images) => {
    const { language, hide } = look;
    const width = look.widthPx ?? defaultWidthPx;
    const canvas = new Canvas(width, language);
    const title = look.title ?? language.words.achievementsTitle;
    const room = width - 2 * padding;
    if (!hide.has('title')) canvas.text('heading', { at: padding, y: padding + 15, room }, title);
    const top = padding + titleOf(look);
    const bottom = hide.has('names')
      ? drawIcons(canvas, items, look, images, top)
      : drawList(canvas, items, look, images, top);
    return frame(look, {
      width,
      height: bottom + padding,
      title,
      description: items
        .map((item) => `${item.name} (${item.repository_name}, ${language.date(new Date(item.awarded_dttm))})`)
        .join(', '),
      body: canvas.body(),
    });
  },
});

function titleOf({ hide }: Look): number {
  return hide.has('title') ? 0 : titleHeight;
}

/** @returns where it ends. */
function drawList(canvas: Canvas, items: readonly Item[], look: Look, images: Images, top: number): number {
  const { language, hide } = look;
  const width = (look.widthPx ?? defaultWidthPx) - 2 * padding;
  const columns = look.columns ?? Math.max(1, Math.min(4, Math.floor((width + gap) / 200)));
  const cell = (width + gap) / columns;
  for (const [index, item] of items.entries()) {
    const at = padding + (index % columns) * cell;
    const y = top + Math.floor(index / columns) * rowHeight;
    drawIcon(canvas, { at, y }, item, images);
    const lines = [
      ...(hide.has('repositories') ? [] : [item.repository_name]),
      ...(hide.has('dates') ? [] : [language.date(new Date(item.awarded_dttm))]),
    ];
    const place = { at: at + iconSize + 12, room: cell - gap - iconSize - 12 };
    const first = y + 27 - lines.length * 8;
    canvas.text('name', { ...place, y: first }, item.name);
    for (const [line, text] of lines.entries()) canvas.text('label', { ...place, y: first + 16 * (line + 1) }, text);
  }
  return top + Math.ceil(items.length / columns) * rowHeight - (rowHeight - iconSize);
}

function drawIcons(canvas: Canvas, items: readonly Item[], look: Look, images: Images, top: number): number {
  const width = (look.widthPx ?? defaultWidthPx) - 2 * padding;
  const columns = Math.max(1, Math.floor((width + bareGap) / (iconSize + bareGap)));
  for (const [index, item] of items.entries()) {
    const at = padding + (index % columns) * (iconSize + bareGap);
    drawIcon(canvas, { at, y: top + Math.floor(index / columns) * (iconSize + bareGap) }, item, images);
  }
  return top + Math.ceil(items.length / columns) * (iconSize + bareGap) - bareGap;
}

/** The icon, or a medal where there is none. */
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
