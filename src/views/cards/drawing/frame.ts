import type { CardOptions } from '../options.ts';
import { titleText, withoutDirections } from '../text/fit.ts';
import { escapeText, px, textStyles } from './canvas.ts';
import {
  type Colour,
  type Palette,
  readableOn,
  shades,
  type ThemeStyle,
  toTextureColour,
  toTrackColour,
} from './themes.ts';

/** The size, in pixels, that services expect of the image of a shared link. */
export const previewSize = { width: 1200, height: 630 };
const margin = 50;

/** A finished card. */
export interface Drawing {
  svg: string;
  widthPx: number;
  heightPx: number;
}

export const padding = 24;

const fonts = `-apple-system,BlinkMacSystemFont,"Segoe UI","Noto Sans",Helvetica,Arial,sans-serif,"Apple Color Emoji","Segoe UI Emoji","Noto Color Emoji"`;
const weights = { regular: 400, bold: 600 };

const styles = Object.values(textStyles);
const textRules = [
  `text{font-family:${fonts}}`,
  ...styles.map((style) => `.${style.class}{font-size:${style.sizePx}px;font-weight:${weights[style.weight]}}`),
].join('\n');
const listClasses = (tone: 'text' | 'muted' | 'onAccent'): string =>
  styles
    .filter((style) => style.tone === tone)
    .map((style) => `.${style.class}`)
    .join();
const textClasses = listClasses('text');
const mutedClasses = listClasses('muted');
const onAccentClasses = listClasses('onAccent');

/** Fades animated parts in, once, and only for readers who have not turned motion off. */
const animation = `@media (prefers-reduced-motion:no-preference){
.f{animation:f .6s ease-out both}
@keyframes f{from{opacity:0}}
}
`;

/** The textures over the ground, in the faint colour of `u`. */
const pattern = (size: number, drawn: string): string =>
  `<pattern id="s" width="${size}" height="${size}" patternUnits="userSpaceOnUse">${drawn}</pattern>\n`;
const surfaces: Readonly<Record<Exclude<ThemeStyle['surface'], 'plain'>, string>> = {
  gradient:
    '<linearGradient id="s" x1="0" y1="0" x2="1" y2="1"><stop offset=".35" class="u" stop-opacity="0"/><stop offset="1" class="u"/></linearGradient>\n',
  dots: pattern(14, '<circle class="u" cx="3" cy="3" r="1.2"/>'),
  grid: pattern(20, '<path class="u" d="M0 0h20v1H1v19H0z"/>'),
  lines: pattern(12, '<path class="u" d="M0 11h12v1H0z"/>'),
};

/**
 * Draws the frame of a card: light and dark in one file, with a title and a description for screen readers, and without
 * external resources. Its classes: text styles (see `textStyles`), `a` filled and `k` drawn in the accent, `t` filled
 * in the colour beneath, `r` drawn in it, `d0` to `d4` steps of the accent, `f` parts that fade in.
 */
export function frame(
  options: CardOptions,
  card: { width: number; height: number; title: string; description: string; body: string; usesShades?: boolean },
): Drawing {
  const { width, height } = card;
  const { palettes, hasBorder, language } = options;
  const radius = Math.min(options.radiusPx, height / 2);
  const inset = hasBorder ? 0.5 : 0;
  const dark =
    palettes.dark && `@media (prefers-color-scheme:dark){\n${colourRules(palettes.dark, options, card.usesShades)}}\n`;
  const place = `x="${inset}" y="${inset}" width="${px(width - 2 * inset)}" height="${px(height - 2 * inset)}" rx="${px(radius)}"`;
  const { surface } = palettes.style;
  const texture = surface === 'plain' ? '' : `${surfaces[surface]}<rect ${place} fill="url(#s)"/>\n`;
  const ground = `<rect class="g" ${place}/>\n${texture}`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${px(width)}" height="${px(height)}" viewBox="0 0 ${px(width)} ${px(height)}" role="img" aria-labelledby="title desc" xml:lang="${language.locale}">
<title id="title">${escapeText(titleText(card.title))}</title>
<desc id="desc">${escapeText(withoutDirections(card.description))}</desc>
<style>
${textRules}
${colourRules(palettes.light, options, card.usesShades)}${dark ?? ''}${options.isAnimated ? animation : ''}</style>
${options.isRaw ? '' : ground}${card.body}
</svg>
`;
  return { svg, widthPx: width, heightPx: height };
}

function colourRules(palette: Palette, { hasBorder, palettes: { style } }: CardOptions, usesShades = false): string {
  const track = toTrackColour(palette);
  const steps = usesShades
    ? shades(palette).map((shade: Colour, index) => `.d${index}{fill:${shade};stroke:${shade}}\n`)
    : [];
  const width = style.weight > 1 ? `;stroke-width:${style.weight}` : '';
  const border = hasBorder ? `;stroke:${palette.border}${width}` : '';
  const texture = toTextureColour(palette);
  const faint = style.surface === 'plain' ? '' : `.u{fill:${texture};stop-color:${texture}}\n`;
  return `${textClasses}{fill:${palette.text}}
${mutedClasses}{fill:${palette.muted}}
${onAccentClasses}{fill:${readableOn(palette.accent)}}
.g{fill:${palette.background}${border}}
.a{fill:${palette.accent}}
.k{fill:none;stroke:${palette.accent}}
.t{fill:${track}}
.r{fill:none;stroke:${track}}
${faint}${steps.join('')}`;
}

/** Places a card in the middle of an image for previews of links, as large as it fits. */
export function onPreview(card: Drawing, { background, border }: Palette): Drawing {
  const { width, height } = previewSize;
  const scale = Math.min((width - 2 * margin) / card.widthPx, (height - 2 * margin) / card.heightPx);
  const [wide, high] = [card.widthPx * scale, card.heightPx * scale];
  const place = `x="${px((width - wide) / 2)}" y="${px((height - high) / 2)}" width="${px(wide)}" height="${px(high)}"`;
  // The card keeps its own coordinates.
  const inner = card.svg.replace(/ width="[^"]*" height="[^"]*"/, ` ${place}`);
  return {
    svg: `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<rect width="${width}" height="${height}" fill="${background}"/><rect width="${width}" height="${height}" fill="${border}" fill-opacity=".3"/>
${inner}</svg>
`,
    widthPx: width,
    heightPx: height,
  };
}
