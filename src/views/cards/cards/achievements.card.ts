import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { CardInput } from '../../../http/pipeline/images.ts';
import { fill } from '../../languages/language.ts';
import { defineCard, type Images } from '../card.ts';
import { Canvas, px, textStyles } from '../drawing/canvas.ts';
import { frame, padding } from '../drawing/frame.ts';
import { inWords, toGrid, toWall } from '../drawing/grid.ts';
import { drawMedal, drawMotif, drawRibbon, rareUpTo, ribbonShare, toMetal } from '../drawing/medal.ts';
import { drawRing } from '../drawing/ring.ts';
import type { CardOptions } from '../options.ts';
import { joinParts, wrap } from '../text/fit.ts';
import { measure } from '../text/measure.ts';

const defaultWidthPx = 480;
const iconSize = 44;
const textAt = iconSize + 12;
const rowHeight = 64;
const titleHeight = 34;
const gap = 16;
const bareGap = 12;
/** The width, in pixels, of the ring around the next achievement. */
const nextLine = 4;
const mostLarge = 12;
/** The medal of the newest achievement, which is smaller on a narrow card. */
const newest = { size: 76, narrowSize: 60, narrow: 340, room: 18, below: 20 };
/** The width of an icon with some letters of a name, in pixels. */
const leastWidth = 112;

const Item = Type.Object({
  name: Type.String(),
  repository_name: Type.String(),
  icon_url: Type.String(),
  awarded_dttm: Type.String(),
});
const compiledItem = Compile(Item);
/** @property holders the number of people who hold the achievement; undefined where it is not known. */
interface Item extends Static<typeof Item> {
  holders: number | undefined;
}
interface Content {
  items: Item[];
  next: CardInput['next'];
}

/**
 * The card of awards as medals: the newest one large, the others with icon, name, repository and date, and below them
 * the way to the next one; with `hide=names` without words, and with `raw` the icons alone.
 */
export const achievementsCard = defineCard<Content>({
  parts: { hideable: ['title', 'names', 'repositories', 'dates', 'rarity', 'next'], showable: [] },
  nothingOf: 'achievements',
  emptySize: (options) => ({
    widthPx: options.widthPx ?? defaultWidthPx,
    heightPx: options.isRaw ? iconSize : padding + toTitleHeight(options) + 2 * rowHeight,
  }),
  read: ({ envelope, holders, next }) => {
    const items = envelope.data.flatMap((item, index) =>
      compiledItem.Check(item) ? [{ ...item, holders: holders?.[index] }] : [],
    );
    return items.length === 0 && next === undefined ? undefined : { items, next };
  },
  images: ({ items, next }) => [
    ...items.map(({ icon_url }) => icon_url),
    ...(next === undefined ? [] : [next.icon_url]),
  ],
  // Many large images would make the card large.
  imageSize: ({ items: { length } }) => (length > mostLarge ? 'small' : 'large'),
  draw: (content, options, images) => {
    const { items } = content;
    const next = isNextShown(content, options) ? content.next : undefined;
    const title = options.title ?? options.language.words.achievementsTitle;
    const texts = { title, description: describe(items, next, options) };
    if (options.isRaw) {
      const canvas = new Canvas(toIconsWidth(items.length, options), options.language);
      const height = drawIcons(canvas, items, {
        options,
        images,
        at: 0,
        top: 0,
        maxWidth: toIconsWidth(items.length, options),
      });
      return frame(options, { ...texts, width: toIconsWidth(items.length, options), height, body: canvas.body() });
    }
    const width = options.widthPx ?? defaultWidthPx;
    const canvas = new Canvas(width, options.language);
    const maxWidth = width - 2 * padding;
    if (!options.hide.has('title')) canvas.headline({ at: padding, y: padding + 15, maxWidth }, title);
    const place = { options, images, at: padding, top: padding + toTitleHeight(options), maxWidth };
    const above = options.hide.has('names') ? drawIcons(canvas, items, place) : drawList(canvas, items, place);
    const bottom = next === undefined ? above : drawNext(canvas, next, { ...place, top: above });
    return frame(options, { ...texts, width, height: bottom + padding, body: canvas.body() });
  },
});

/** Without words, the next achievement would look like one that is awarded. */
function isNextShown({ items }: Content, { hide, isRaw }: CardOptions): boolean {
  return !isRaw && !hide.has('names') && (!hide.has('next') || items.length === 0);
}

interface Place {
  options: CardOptions;
  images: Images;
  at: number;
  top: number;
  maxWidth: number;
}

/** Returns how many people hold an achievement; empty where they are many, or where their number is not known. */
function formatRarity({ holders }: Item, { language, hide }: CardOptions): string {
  if (hide.has('rarity') || holders === undefined || holders <= 0 || holders > rareUpTo) return '';
  return fill(language.words.heldBy, { n: language.number(holders) });
}

function describe(items: readonly Item[], next: Content['next'], options: CardOptions): string {
  const { language } = options;
  const awarded = items.map((item) => {
    const details = [item.repository_name, language.date(new Date(item.awarded_dttm)), formatRarity(item, options)];
    return `${item.name} (${details.filter((detail) => detail !== '').join(', ')})`;
  });
  const coming =
    next === undefined ? [] : [`${language.words.nextAchievement}: ${next.name} (${formatWay(next, options)})`];
  return [...awarded, ...coming].join(', ');
}

/** Returns the part of an achievement that is done, as in `14 / 20`. */
function formatWay({ present, wanted }: NonNullable<Content['next']>, { language }: CardOptions): string {
  return `${language.number(present)} / ${language.number(wanted)}`;
}

function toTitleHeight({ hide }: CardOptions): number {
  return hide.has('title') ? 0 : titleHeight;
}

/** Returns the width of the icons in pixels. */
function toIconsWidth(count: number, { widthPx = defaultWidthPx, columns }: CardOptions): number {
  const thatFit = Math.floor((widthPx + bareGap) / (iconSize + bareGap));
  return Math.min(count, columns ?? thatFit, thatFit) * (iconSize + bareGap) - bareGap;
}

/** Returns the lines below the name of an award. */
function formatDetails(item: Item, { hide, language }: CardOptions): string[] {
  return [
    ...(hide.has('repositories') || item.repository_name === '' ? [] : [item.repository_name]),
    ...(hide.has('dates') ? [] : [language.date(new Date(item.awarded_dttm))]),
  ];
}

/** @returns the y coordinate of the lower end. */
function drawList(canvas: Canvas, [first, ...others]: readonly Item[], place: Place): number {
  const { options, images, at: left, maxWidth } = place;
  if (first === undefined) return place.top;
  const bottom = drawNewest(canvas, first, place);
  if (others.length === 0) return bottom;
  const top = bottom + newest.below;
  const grid = toGrid({ at: left, maxWidth, gap, columns: options.columns, usual: 184, least: leastWidth, most: 4 });
  const named = others.slice(0, inWords(others.length, grid));
  for (const [index, item] of named.entries()) {
    const { at, row } = grid.toPlace(index);
    const y = top + row * rowHeight;
    drawMedal(canvas, { at, y, size: iconSize }, toMedal(item, options, images));
    const lines = formatDetails(item, options);
    const text = { at: at + textAt, maxWidth: grid.itemWidth - textAt };
    const baseline = y + 27 - lines.length * 8;
    canvas.text('name', { ...text, y: baseline }, item.name);
    canvas.lines('label', { ...text, y: baseline + 16, step: 16 }, lines);
  }
  const end = top + grid.countRows(named.length) * rowHeight - (rowHeight - iconSize);
  return named.length === others.length
    ? end
    : drawWall(canvas, others.slice(named.length), { ...place, top: end + gap });
}

/** @returns the y coordinate of the lower end. */
function drawWall(canvas: Canvas, items: readonly Item[], { options, images, at: left, top, maxWidth }: Place): number {
  const wall = toWall(items.length, { at: left, maxWidth, size: iconSize, gap: bareGap, columns: undefined });
  for (const [index, item] of items.entries()) {
    const { at, row } = wall.toPlace(index);
    const y = top + row * (iconSize + bareGap);
    drawMedal(canvas, { at, y, size: iconSize }, toMedal(item, options, images));
  }
  return top + wall.heightPx;
}

/**
 * Draws the newest award: a large medal on a ribbon, with its name in up to two lines.
 * @returns the y coordinate of the lower end.
 */
function drawNewest(canvas: Canvas, item: Item, { options, images, at, top, maxWidth }: Place): number {
  const isNarrow = maxWidth < newest.narrow;
  const size = isNarrow ? newest.narrowSize : newest.size;
  drawRibbon(canvas, { at, y: top, size });
  drawMedal(canvas, { at, y: top, size }, toMedal(item, options, images));
  const height = size * (1 + ribbonShare);
  const room = size + (isNarrow ? newest.room - 6 : newest.room);
  const text = { at: at + room, maxWidth: maxWidth - room };
  const isShort = measure(item.name, textStyles.heading.sizePx, 'bold') <= text.maxWidth;
  const names = isShort ? [item.name] : wrap(item.name, { ...text, maxLines: 2, ...textStyles.name });
  const rarity = formatRarity(item, options);
  const details = [...formatDetails(item, options), ...(rarity === '' ? [] : [rarity])];
  const middle = top + size / 2 + 5 - ((names.length - 1) * 18 + details.length * 17) / 2;
  // Many lines would begin above the medal, beside the title.
  let y = Math.max(middle, top + textStyles[isShort ? 'heading' : 'name'].sizePx);
  for (const [index, name] of names.entries()) {
    if (index > 0) y += 18;
    canvas.text(isShort ? 'heading' : 'name', { ...text, y }, name);
  }
  for (const detail of details) {
    y += 17;
    canvas.text('label', { ...text, y, isProse: detail === rarity }, detail);
  }
  return Math.ceil(Math.max(top + height, y + 4));
}

function toMedal(item: Item, { hide }: CardOptions, images: Images): Parameters<typeof drawMedal>[2] {
  return { image: images.get(item.icon_url), metal: hide.has('rarity') ? undefined : toMetal(item.holders) };
}

/**
 * Draws the achievement that comes next: its icon in a ring, whose arc is the part that is done.
 * @returns the y coordinate of the lower end.
 */
function drawNext(
  canvas: Canvas,
  next: NonNullable<Content['next']>,
  { options, images, at, top, maxWidth }: Place,
): number {
  const { language, palettes } = options;
  const y = top + (top > padding + toTitleHeight(options) ? newest.below : 0);
  drawRing(canvas, { at, y, size: iconSize, line: nextLine }, next.present / next.wanted, palettes.style);
  const image = images.get(next.icon_url);
  drawMotif(canvas, { at, y, size: iconSize - 2 * nextLine, inset: nextLine }, { image, isEarned: false });
  const text = { at: at + textAt, maxWidth: maxWidth - textAt };
  canvas.text('name', { ...text, y: y + 19 }, next.name);
  const details = joinParts(
    [language.words.nextAchievement, formatWay(next, options)],
    text.maxWidth,
    textStyles.label.sizePx,
  );
  canvas.lines('label', { ...text, y: y + 35, step: 16, isProse: true }, details);
  return y + Math.max(iconSize, 38 + 16 * (details.length - 1));
}

/** @returns the y coordinate of the lower end. */
function drawIcons(
  canvas: Canvas,
  items: readonly Item[],
  { options, images, at: left, top, maxWidth }: Place,
): number {
  const { columns } = options;
  const grid = toGrid({ at: left, maxWidth, gap: bareGap, columns, usual: iconSize, least: iconSize });
  for (const [index, item] of items.entries()) {
    const { at, row } = grid.toPlace(index);
    drawIcon(canvas, { at, y: top + row * (iconSize + bareGap) }, item, images);
  }
  return top + grid.countRows(items.length) * (iconSize + bareGap) - bareGap;
}

/** Draws the icon, or a medal where there is none. */
function drawIcon(canvas: Canvas, { at, y }: { at: number; y: number }, { icon_url }: Item, images: Images): void {
  const left = canvas.left(at, iconSize);
  const image = images.get(icon_url);
  if (image !== undefined) {
    canvas.add(`<image x="${px(left)}" y="${px(y)}" width="${iconSize}" height="${iconSize}" href="${image}"/>`);
    return;
  }
  drawMedal(canvas, { at, y, size: iconSize }, { image, metal: undefined });
}
