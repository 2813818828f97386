import { measure, type Weight } from './measure.ts';

/** A line of text that fits its room. */
export interface Fitted {
  text: string;
  /** Pixels. */
  width: number;
}

const ellipsis = '…';
/** Longer texts have no room in any card. */
const maxLength = 400;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const plain = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;
/** More than two marks on a letter would run into other lines. */
const piledMarks = /(\p{M}{2})\p{M}+/gu;
/** Control characters, and characters that change the direction of the text after them. */
const controls =
  /[\p{Cc}\p{Zl}\p{Zp}\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]/gu;

/** Turns a text of a user into one line that cannot affect the text around it. */
export function oneLine(text: string): string {
  if (text.length <= maxLength && plain.test(text)) return text;
  return text
    .slice(0, maxLength)
    .toWellFormed()
    .replace(/\s+/gu, ' ')
    .replace(controls, '')
    .replace(piledMarks, '$1')
    .trim();
}

/** The most characters of a title for screen readers and tooltips. */
const maxTitleLength = 256;

/** Returns the text of a title element, which is drawn by the reader's system: one line of limited length. */
export function titleText(text: string): string {
  const line = oneLine(text);
  if (line.length <= maxTitleLength) return line;
  let kept = '';
  for (const { segment } of graphemes.segment(line)) {
    if (kept.length + segment.length + ellipsis.length > maxTitleLength) break;
    kept += segment;
  }
  return kept.trimEnd() + ellipsis;
}

/** Removes the characters that change the direction of the text after them. */
export function withoutDirections(text: string): string {
  return text.replace(directions, '');
}

const directions = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/**
 * Cuts a text to its room, never within a letter.
 * @param maxWidth in pixels.
 */
export function fit(text: string, maxWidth: number, sizePx: number, weight: Weight = 'regular'): Fitted {
  const line = oneLine(text);
  const width = measure(line, sizePx, weight);
  if (width <= maxWidth) return { text: line, width };
  const end = measure(ellipsis, sizePx, weight);
  if (end > maxWidth) return { text: '', width: 0 };
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes.segment(line)) {
    const next = used + measure(segment, sizePx, weight);
    if (next + end > maxWidth) break;
    kept += segment;
    used = next;
  }
  const shortened = kept.trimEnd() + ellipsis;
  return { text: shortened, width: measure(shortened, sizePx, weight) };
}

/**
 * Places before which a line may end: words, the end of a range of dates, and letters of Chinese and Japanese, which have no spaces. Small kana stay
 * with the letter before them, and groups of digits with those before them.
 */
const breaks =
  /(?<=[ ～])(?<!\d (?=\d{3}(?!\d)))|(?=(?![ぁぃぅぇぉっゃゅょァィゥェォッャュョ])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])/u;

/** Breaks a text into lines between words; the last line is cut to its room. */
export function wrap(
  text: string,
  { maxWidth, maxLines, sizePx, weight }: { maxWidth: number; maxLines: number; sizePx: number; weight?: Weight },
): string[] {
  const lines: string[] = [];
  let line = '';
  const parts = oneLine(text).split(breaks);
  for (const [index, part] of parts.entries()) {
    const longer = line + part;
    if (line === '' || measure(longer.trimEnd(), sizePx, weight) <= maxWidth) {
      line = longer;
      continue;
    }
    if (lines.length === maxLines - 1) {
      line += parts.slice(index).join('');
      break;
    }
    lines.push(line);
    line = part;
  }
  return [...lines, line].map((text) => fit(text, maxWidth, sizePx, weight).text);
}

/** The place after the sign between two dates with years. */
const rangeBreak = /(?<=\d{4}.*[–~～])\s?(?=.*\d{4})/u;

/** Breaks a range of dates into lines: between the two dates where it has no room in one, then between words. */
export function wrapRange(text: string, style: { maxWidth: number; sizePx: number }): string[] {
  if (measure(text, style.sizePx) <= style.maxWidth) return [text];
  return text.split(rangeBreak).flatMap((date) => wrap(date, { ...style, maxLines: 2 }));
}

/** Stands between the parts of a line. */
export const partSeparator = ' · ';

/** Joins parts into lines; a part has lines of its own where it has no room beside the one before. */
export function joinParts(parts: readonly string[], maxWidth: number, sizePx: number): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    const longer = last === undefined ? part : `${last}${partSeparator}${part}`;
    if (measure(longer, sizePx) <= maxWidth) lines.splice(-1, 1, longer);
    else lines.push(...wrap(part, { maxWidth, maxLines: 3, sizePx }));
  }
  return lines;
}
