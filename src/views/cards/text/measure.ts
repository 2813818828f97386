import widths from './widths.json' with { type: 'json' };

export type Weight = 'regular' | 'bold';

const digits = 36;
const perEm = 1000;
/** Widths of letters that the tables do not contain, in thousandths of the font size. */
const fallback = { wide: 1000, halfWide: 500, emoji: 1400, flag: 700, other: 1100 };
const variationToEmoji = 0xfe0f;
const joiner = 0x200d;
const space = 0x20;
/** The other spaces of formatted numbers and dates. Cards draw them as a usual one (`oneLine`), which may be wider. */
const drawnAsSpace = [0xa0, 0x2009, 0x202f];

const tables: Record<Weight, ReadonlyMap<number, number>> = {
  regular: unpack(widths.regular),
  bold: unpack(widths.bold),
};

/**
 * Reads the widths of letters, as `scripts/font-widths.ts` makes them from Noto Sans (SIL Open Font License 1.1): the first
 * code point in hexadecimal digits, and two digits of base 36 for each letter from there; 00: not in the font.
 */
function unpack(table: Readonly<Record<string, string>>): Map<number, number> {
  const unpacked = new Map<number, number>();
  for (const [first, codes] of Object.entries(table)) {
    for (let index = 0; index < codes.length / 2; index += 1) {
      const width = Number.parseInt(codes.slice(2 * index, 2 * index + 2), digits);
      if (width > 0) unpacked.set(Number.parseInt(first, 16) + index, width);
    }
  }
  for (const code of drawnAsSpace) unpacked.set(code, unpacked.get(space) ?? fallback.other);
  return unpacked;
}

/**
 * Returns the width of a line of text in pixels: its width in Noto Sans, which is wider than the system fonts in which
 * a card is displayed, and for scripts that it lacks the width of their widest letters.
 */
export function measure(text: string, sizePx: number, weight: Weight = 'regular'): number {
  const table = tables[weight];
  let width = 0;
  let isJoined = false;
  let last = 0;
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0;
    if (code === variationToEmoji) {
      width += Math.max(0, fallback.emoji - last);
      last = fallback.emoji;
      continue;
    }
    last = isJoined ? 0 : (table.get(code) ?? fallbackWidth(letter, code));
    isJoined = code === joiner;
    width += last;
  }
  return (width * sizePx) / perEm;
}

const joining = /[\p{Script=Arabic}\p{Script=Devanagari}]/u;

/**
 * Returns whether the width of a text is exact, and not only an upper bound: the measured font has its letters, and
 * they do not join.
 */
export function isMeasured(text: string): boolean {
  for (const letter of text) if (!tables.regular.has(letter.codePointAt(0) ?? 0)) return false;
  return !joining.test(text);
}

const invisible = /[\p{M}\p{Cf}\p{Emoji_Modifier}]/u;
const flag = /[\u{1F1E6}-\u{1F1FF}]/u;
const halfWide = /[\uFF61-\uFFDC\uFFE8-\uFFEE]/u;
const wide =
  /[\u1100-\u115F\u2E80-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18DFF}\u{1AFF0}-\u{1B2FF}\u{20000}-\u{3FFFD}]/u;

function fallbackWidth(letter: string, code: number): number {
  if (invisible.test(letter)) return 0;
  if (flag.test(letter)) return fallback.flag;
  if (wide.test(letter)) return fallback.wide;
  if (halfWide.test(letter)) return fallback.halfWide;
  if (/\p{Extended_Pictographic}/u.test(letter) || code >= 0x1f000) return fallback.emoji;
  return fallback.other;
}
