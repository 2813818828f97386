import { type Canvas, px } from './canvas.ts';

/** The position of a medal and its outer side, in pixels. */
interface MedalPlace {
  at: number;
  y: number;
  size: number;
}

/**
 * The metals of rims, the rarest first: an achievement has the first one whose `holders` are at least as many as the
 * people who hold it. Each is visible on light and on dark grounds.
 */
export const metals = [
  { name: 'gold', holders: 3, colour: '#bf8700' },
  { name: 'silver', holders: 10, colour: '#7d8894' },
  { name: 'bronze', holders: 100, colour: '#b4693a' },
] as const;
type Metal = (typeof metals)[number];

/**
 * Returns the metal of the rim of a medal; undefined where many people hold it, or where their number is not known.
 */
export function toMetal(holders: number | undefined): Metal | undefined {
  if (holders === undefined || holders <= 0) return undefined;
  return metals.find((metal) => holders <= metal.holders);
}

/** The greatest number of holders with a metal. */
export const rareUpTo = Math.max(...metals.map(({ holders }) => holders));

/** Draws a medal: an icon, or a star where there is none, in a rim of metal. */
export function drawMedal(
  canvas: Canvas,
  { at, y, size }: MedalPlace,
  { image, metal }: { image: string | undefined; metal: Metal | undefined },
): void {
  const left = canvas.left(at, size);
  const middle = { x: left + size / 2, y: y + size / 2 };
  const line = size / 16;
  const rim = metal === undefined ? 'class="r"' : `fill="none" stroke="${metal.colour}"`;
  canvas.add(
    `<circle ${rim} cx="${px(middle.x)}" cy="${px(middle.y)}" r="${px((size - line) / 2)}" stroke-width="${px(line)}"/>`,
  );
  if (image === undefined) {
    canvas.add(`<circle class="t" cx="${px(middle.x)}" cy="${px(middle.y)}" r="${px(size / 2 - line)}"/>`);
  }
  drawMotif(canvas, { at, y, size: size - 2 * line, inset: line }, { image, isEarned: true });
}

/** The star of medals without an icon, of 24 by 24 pixels. */
const star = 'M12 2.6l2.9 5.9 6.5.9-4.7 4.6 1.1 6.5-5.8-3.1-5.8 3.1 1.1-6.5L2.6 9.4l6.5-.9z';

/**
 * Draws the inside of a rim: an icon, or a star where there is none, in outlines until it is earned.
 * @param place.size the inner side of the rim, which begins `inset` within `at` and `y`.
 */
export function drawMotif(
  canvas: Canvas,
  { at, y, size, inset }: MedalPlace & { inset: number },
  { image, isEarned }: { image: string | undefined; isEarned: boolean },
): void {
  const left = canvas.left(at + inset, size);
  const middle = { x: left + size / 2, y: y + inset + size / 2 };
  // The greatest square within the rim.
  const side = Math.floor(size * 0.72);
  if (image !== undefined) {
    const [x, top] = [middle.x - side / 2, middle.y - side / 2];
    canvas.add(`<image x="${px(x)}" y="${px(top)}" width="${side}" height="${side}" href="${image}"/>`);
    return;
  }
  const scale = side / 24;
  const attributes = isEarned ? 'class="a"' : 'class="k" stroke-width="2" stroke-linejoin="round"';
  canvas.add(
    `<path ${attributes} transform="translate(${px(middle.x - 12 * scale)} ${px(middle.y - 12.4 * scale)}) scale(${px(scale)})" d="${star}"/>`,
  );
}

/** The part of a medal's side by which its ribbon ends below it. */
export const ribbonShare = 0.18;

/** Draws the ribbon of a medal, which lies behind it. */
export function drawRibbon(canvas: Canvas, { at, y, size }: MedalPlace): void {
  const x = px(canvas.left(at, size));
  const ends = 'M5 20.8v7.5l3.4-2.4L11 28v-6zM19 20.8v7.5l-3.4-2.4L13 28v-6z';
  canvas.add(`<path class="a" transform="translate(${x} ${px(y)}) scale(${px(size / 24)})" d="${ends}"/>`);
}
