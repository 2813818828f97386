import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { defineCard } from '../card.ts';
import { Canvas, directed, escapeText, px } from '../drawing/canvas.ts';
import type { Drawing } from '../drawing/frame.ts';
import { type Colour, readableOn } from '../drawing/themes.ts';
import type { CardOptions } from '../options.ts';
import { fit, titleText } from '../text/fit.ts';

const height = 20;
const sizePx = 11;
const side = 7;
const maxLabel = 200;
const white: Colour = '#ffffff';
const labelGround: Colour = '#4b535d';
const fonts = 'Verdana,"DejaVu Sans",Geneva,"Noto Sans",sans-serif';
/** The ratio of the widths of Verdana, in which badges are set, and of the measured font. */
const verdana = 1.13;

const Item = Type.Object({ name: Type.String() });
const compiledItem = Compile(Item);

interface Content {
  count: number;
  isCounting: boolean;
  leavesOutBots: boolean;
}

/** The badge with the number of people in a community, sized for a line of text. */
export const communityCard = defineCard<Content>({
  parts: { hideable: [], showable: [] },
  nothingOf: 'contributors',
  emptySize: () => ({ widthPx: 120, heightPx: height }),
  read: ({ envelope: { data, meta_data }, further = 0, leavesOutBots = false }) => ({
    count: data.filter((item) => compiledItem.Check(item)).length + further,
    isCounting: meta_data.complete === false,
    leavesOutBots,
  }),
  draw: ({ count, isCounting, leavesOutBots }, options) => {
    const { words, plural } = options.language;
    const people = [plural('contributors', count), ...(leavesOutBots ? [words.withoutBots] : [])].join(' · ');
    const value = count === 0 && isCounting ? words.stillCounting : people;
    return drawBadge(options, options.title ?? words.community, value);
  },
});

/**
 * Draws a badge with a label and a value.
 * @param tone the colour of the right half; default: the theme's accent.
 */
export function drawBadge(options: CardOptions, label: string, value: string, tone?: Colour): Drawing {
  const accent = tone ?? options.palettes.light.accent;
  const left = part(label);
  const right = part(value);
  const width = left.width + right.width;
  const canvas = new Canvas(width, options.language);
  const radius = Math.min(options.radiusPx, 4);
  const title = `${label}: ${value}`;
  const dark = options.palettes.dark?.accent;
  canvas.add(
    `<clipPath id="r"><rect width="${px(width)}" height="${height}" rx="${radius}"/></clipPath><g clip-path="url(#r)">`,
  );
  canvas.rect({ at: 0, y: 0, width: left.width, height }, `fill="${labelGround}"`);
  canvas.rect({ at: left.width, y: 0, width: right.width, height }, 'class="v"');
  canvas.add('</g>');
  canvas.add(write(canvas, left, 0, 'w'));
  canvas.add(write(canvas, right, left.width, 'o'));
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${px(width)}" height="${height}" viewBox="0 0 ${px(width)} ${height}" role="img" aria-labelledby="title" xml:lang="${options.language.locale}">
<title id="title">${escapeText(titleText(title))}</title>
<style>text{font:${sizePx}px ${fonts}}.w{fill:${white}}${colours(accent)}${dark === undefined || tone !== undefined ? '' : `@media (prefers-color-scheme:dark){${colours(dark)}}`}</style>
${canvas.body()}
</svg>
`;
  return { svg, widthPx: width, heightPx: height };
}

interface Part {
  text: string;
  textWidth: number;
  width: number;
}

function part(given: string): Part {
  const { text, width } = fit(given, maxLabel / verdana, sizePx);
  const textWidth = Math.ceil(width * verdana);
  return { text, textWidth, width: textWidth + 2 * side };
}

/** Writes a text with a fixed length, which does not depend on the reader's font. */
function write(canvas: Canvas, { text, textWidth, width }: Part, at: number, tone: string): string {
  const middle = canvas.left(at, width) + width / 2;
  return `<text class="${tone}" x="${px(middle)}" y="14" text-anchor="middle" textLength="${textWidth}" lengthAdjust="spacingAndGlyphs">${escapeText(directed(text))}</text>`;
}

function colours(ground: Colour): string {
  return `.v{fill:${ground}}.o{fill:${readableOn(ground)}}`;
}
