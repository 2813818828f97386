import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { avatarClip, drawAvatar } from './avatar.ts';
import { Canvas } from './canvas.ts';
import { defineCard, type Images } from './card.ts';
import { frame, padding } from './frame.ts';
import { gridOf } from './grid.ts';
import { fill } from './languages/language.ts';
import type { CardOptions } from './options.ts';

const defaultWidthPx = 480;
const avatarSize = 36;
const gap = 16;
const rowHeight = 52;
const titleHeight = 34;
const bareGap = 8;
const moreHeight = 28;
/** The width of an avatar with some letters of a name, in pixels. */
const leastWidth = 100;

const Item = Type.Object({
  name: Type.String(),
  display_name: Type.String(),
  avatar_url: Type.String(),
  contributions: Type.Integer(),
});
type Item = Static<typeof Item>;
const compiledItem = Compile(Item);

interface Content {
  people: Item[];
  /** The number of contributors that are not in `people`. */
  others: number;
  isCounting: boolean;
}

/** The card of contributors with the numbers of their contributions; without names, a wall of avatars. */
export const contributorsCard = defineCard<Content>({
  parts: { hideable: ['title', 'names', 'counts', 'more'], showable: [] },
  nothingOf: 'contributors',
  emptySize: (options) => ({
    widthPx: options.widthPx ?? defaultWidthPx,
    heightPx: padding + titleOf(options) + 2 * rowHeight + padding - gap,
  }),
  read: ({ envelope: { data, meta_data }, further = 0 }) => {
    const people = data.filter((item) => compiledItem.Check(item));
    if (people.length === 0) return undefined;
    return { people, others: further, isCounting: meta_data.complete === false };
  },
  images: ({ people }) => people.map(({ avatar_url }) => avatar_url),
  draw: ({ people, others, isCounting }, options, images) => {
    const { language, hide } = options;
    const { words } = language;
    const width = options.widthPx ?? defaultWidthPx;
    const canvas = new Canvas(width, language);
    const maxWidth = width - 2 * padding;
    if (!hide.has('title')) {
      const title = options.title ?? words.contributorsTitle;
      const used = canvas.headline({ at: padding, y: padding + 15, maxWidth }, title);
      const place = {
        at: padding + maxWidth,
        y: padding + 15,
        maxWidth: maxWidth - used - gap,
        anchor: 'end',
      } as const;
      if (isCounting) canvas.text('label', place, words.stillCounting);
    }
    const top = padding + titleOf(options);
    const bottom = hide.has('names')
      ? drawWall(canvas, people, options, images, top)
      : drawList(canvas, people, options, images, top);
    const more = others > 0 && !hide.has('more') ? fill(words.more, { n: language.number(others) }) : '';
    canvas.text('label', { at: padding, y: bottom + 26, maxWidth }, more);
    return frame(options, {
      width,
      height: bottom + (more === '' ? 0 : moreHeight) + padding,
      title: options.title ?? words.contributorsTitle,
      description: [
        ...people.map((one) => `${one.name}: ${language.number(one.contributions)}`),
        ...(more === '' ? [] : [more]),
      ].join(', '),
      body: `${avatarClip}\n${canvas.body()}`,
    });
  },
});

function titleOf({ hide }: CardOptions): number {
  return hide.has('title') ? 0 : titleHeight;
}

/** @returns the y coordinate of the lower end. */
function drawList(canvas: Canvas, people: readonly Item[], options: CardOptions, images: Images, top: number): number {
  const { language, hide } = options;
  const width = (options.widthPx ?? defaultWidthPx) - 2 * padding;
  const grid = gridOf({
    at: padding,
    maxWidth: width,
    gap,
    columns: options.columns,
    usual: 184,
    least: leastWidth,
    most: 4,
  });
  const hasCounts = !hide.has('counts');
  for (const [index, person] of people.entries()) {
    const { at, row } = grid.placeOf(index);
    const y = top + row * rowHeight;
    const name = person.display_name || person.name;
    drawAvatar(canvas, { at, y, size: avatarSize }, { name, avatarUrl: person.avatar_url }, images);
    const place = { at: at + avatarSize + 10, maxWidth: grid.itemWidth - avatarSize - 10 };
    canvas.text('name', { ...place, y: y + (hasCounts ? 15 : 23) }, name);
    if (!hasCounts) continue;
    canvas.text('label', { ...place, y: y + 31 }, language.plural(language.words.contributions, person.contributions));
  }
  return top + grid.rowsOf(people.length) * rowHeight - (rowHeight - avatarSize);
}

function drawWall(canvas: Canvas, people: readonly Item[], options: CardOptions, images: Images, top: number): number {
  const width = (options.widthPx ?? defaultWidthPx) - 2 * padding;
  const size = avatarSize;
  const grid = gridOf({
    at: padding,
    maxWidth: width,
    gap: bareGap,
    columns: options.columns,
    usual: size,
    least: size,
  });
  for (const [index, person] of people.entries()) {
    const { at, row } = grid.placeOf(index);
    drawAvatar(
      canvas,
      { at, y: top + row * (size + bareGap), size },
      { name: person.display_name || person.name, avatarUrl: person.avatar_url },
      images,
    );
  }
  return top + grid.rowsOf(people.length) * (size + bareGap) - bareGap;
}
