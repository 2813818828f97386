import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Font, openSync } from 'fontkit';

/** Makes src/views/cards/text/widths.json: how wide the letters of the bundled fonts (Noto Sans, OFL) are. */

const file = fileURLToPath(new URL('../src/views/cards/text/widths.json', import.meta.url));
/** Blocks of Unicode, first and last code point, and the font that has them. */
const blocks: [number, number, string][] = [
  [0x20, 0x7e, 'noto-sans'],
  [0xa0, 0x24f, 'noto-sans'],
  [0x2b0, 0x2ff, 'noto-sans'],
  [0x370, 0x52f, 'noto-sans'],
  [0x5d0, 0x5f4, 'noto-sans-hebrew'],
  [0x606, 0x6ff, 'noto-sans-arabic'],
  [0x900, 0x97f, 'noto-sans-devanagari'],
  [0x1e00, 0x1fff, 'noto-sans'],
  [0x2010, 0x205e, 'noto-sans'],
  [0x20a0, 0x20c0, 'noto-sans'],
  [0x2100, 0x214f, 'noto-sans'],
];
const weights = { regular: 'regular', bold: 'semibold' };
const perEm = 1000;
const digits = 36;
const widest = digits ** 2 - 1;

const tables = Object.entries(weights).map(([weight, file]) => {
  const rows = blocks.map(([first, last, family]) => {
    const font = open(family, file);
    const codes = Array.from({ length: last - first + 1 }, (_, index) => toWidth(font, first + index));
    return [first.toString(16), codes.join('')];
  });
  return [weight, Object.fromEntries(rows)];
});
await writeFile(file, `${JSON.stringify(Object.fromEntries(tables), undefined, 2)}\n`);

function open(family: string, weight: string): Font {
  const path = `../fonts/${family}/${weight}.ttf`;
  const font = openSync(fileURLToPath(new URL(path, import.meta.url)));
  if ('fonts' in font) throw new Error(`${path} is a collection`);
  return font;
}

function toWidth(font: Font, code: number): string {
  const width = font.hasGlyphForCodePoint(code) ? font.glyphForCodePoint(code).advanceWidth : 0;
  const rounded = Math.min(widest, Math.ceil((width * perEm) / font.unitsPerEm));
  return rounded.toString(digits).padStart(2, '0');
}
