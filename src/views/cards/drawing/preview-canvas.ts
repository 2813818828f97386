import type { Drawing } from './frame.ts';
import { px } from './markup.ts';
import type { Palette } from './themes.ts';

/** The size, in pixels, that services expect of the image of a shared link. */
export const previewSize = { width: 1200, height: 630 };
const margin = 50;

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
