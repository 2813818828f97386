import type { Images } from '../card.ts';
import { oneLine } from '../text/fit.ts';
import { measure } from '../text/measure.ts';
import { type Canvas, px, textStyles } from './canvas.ts';

/** A clip path that every card with avatars has to contain. */
export const avatarClip =
  '<clipPath id="round" clipPathUnits="objectBoundingBox"><circle cx=".5" cy=".5" r=".5"/></clipPath>';

/** The least side of an avatar with large initials, in pixels. */
const largeSize = 60;
/** The greatest width of initials, as a share of the avatar's side. */
const widestInitials = 0.68;

const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Draws a round avatar, or initials where there is no image. */
export function drawAvatar(
  canvas: Canvas,
  place: { at: number; y: number; size: number },
  person: { name: string; avatarUrl: string },
  images: Images,
): void {
  const { at, y, size } = place;
  const image = images.get(person.avatarUrl);
  const left = canvas.left(at, size);
  if (image !== undefined) {
    canvas.add(
      `<image x="${px(left)}" y="${px(y)}" width="${size}" height="${size}" clip-path="url(#round)" href="${image}"/>`,
    );
    return;
  }
  canvas.add(`<circle class="t" cx="${px(left + size / 2)}" cy="${px(y + size / 2)}" r="${size / 2}"/>`);
  const [style, toBaseline] = size >= largeSize ? (['big', 10] as const) : (['name', 5] as const);
  const { sizePx, weight } = textStyles[style];
  const middle = { at: at + size / 2, y: y + size / 2 + toBaseline, maxWidth: size - 6, anchor: 'middle' } as const;
  const initials = toInitials(person.name);
  const isTooWide = measure(initials, sizePx, weight) > size * widestInitials;
  canvas.text(style, middle, isTooWide ? firstLetter(initials) : initials);
}

/** Returns the first letters of the first and the last word; only the first letter in scripts with wide letters. */
export function toInitials(name: string): string {
  const words = oneLine(name)
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word));
  const [first = firstLetter(oneLine(name)), ...others] = words.map((word) => firstLetter(word));
  const last = others.at(-1);
  const isWide = !/^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]/u.test(first);
  return (isWide || last === undefined ? first : first + last).toUpperCase();
}

/** Finds the first letter of most words without the slower segmenter. */
const singleLetter = /^[\p{L}\p{N}](?![\p{M}\u200D])/u;

function firstLetter(word: string): string {
  const [single] = singleLetter.exec(word) ?? [];
  if (single !== undefined) return single;
  for (const { segment } of letters.segment(word)) return segment;
  return '?';
}
