import type { Language } from '../../languages/language.ts';
import { type Fitted, fit, oneLine, partSeparator } from '../text/fit.ts';
import { isMeasured, measure, type Weight } from '../text/measure.ts';

const unsafe = /[&<>"']/;
/** Characters that XML does not allow: of controls it allows only white space (XML 1.0, section 2.2). */
const notAllowed = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const plain = /^[\x20-\x7e\u00a0-\u2fff]*$/;

interface TextStyle {
  sizePx: number;
  weight: Weight;
  /** `onAccent` is readable on the accent. */
  tone: 'text' | 'muted' | 'onAccent';
  /** The class in the style sheet of the card. */
  class: string;
}

/** The text styles of cards, from the most prominent. */
export const textStyles = {
  big: { sizePx: 28, weight: 'bold', tone: 'text', class: 'm' },
  heading: { sizePx: 17, weight: 'bold', tone: 'text', class: 'h' },
  number: { sizePx: 18, weight: 'bold', tone: 'text', class: 'n' },
  name: { sizePx: 14, weight: 'bold', tone: 'text', class: 'b' },
  chip: { sizePx: 12, weight: 'bold', tone: 'onAccent', class: 'c' },
  label: { sizePx: 12, weight: 'regular', tone: 'muted', class: 'l' },
  small: { sizePx: 11, weight: 'regular', tone: 'muted', class: 's' },
} as const satisfies Record<string, TextStyle>;
export type TextStyleName = keyof typeof textStyles;

/**
 * A text that takes more than this share of its room is forced to its measured length, because the reader's font may be
 * wider.
 */
const nearlyFull = 0.86;
const needsIsolation = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFF\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;
const isolate = { rightToLeft: '\u2067', byFirstLetter: '\u2068', end: '\u2069' };

/** Returns a text that is read in the direction of its first letter, regardless of the text around it. */
export function directed(text: string): string {
  return needsIsolation.test(text) ? `${isolate.byFirstLetter}${text}${isolate.end}` : text;
}

/**
 * Returns a text that is read from right to left. Its parts are read in their own directions: a number at the beginning of
 * a part would otherwise belong to a name from left to right in the part before it.
 */
function sentence(text: string): string {
  if (!needsIsolation.test(text)) return text;
  const parts = text.split(partSeparator);
  const directedParts =
    parts.length === 1 ? parts : parts.map((part) => `${isolate.byFirstLetter}${part}${isolate.end}`);
  return `${isolate.rightToLeft}${directedParts.join(partSeparator)}${isolate.end}`;
}

export interface TextPlace {
  /** The distance from the side at which lines begin, in pixels. */
  at: number;
  /** The y coordinate of the baseline. */
  y: number;
  /** The maximum width of the text, in pixels. */
  maxWidth: number;
  /** The point of the text that is at `at`. */
  anchor?: 'start' | 'middle' | 'end';
  /** True for a sentence of the card's language, which may begin with a word of another direction. */
  isProse?: boolean;
}

/**
 * Collects the elements of a card. Positions are measured from the side at which lines begin, so that cards in
 * right-to-left languages are mirrored.
 */
export class Canvas {
  readonly #width: number;
  readonly #isRightToLeft: boolean;
  readonly #elements: string[] = [];

  constructor(width: number, language: Pick<Language, 'isRightToLeft'>) {
    this.#width = width;
    this.#isRightToLeft = language.isRightToLeft;
  }

  /** Returns the left edge of an element that begins at `at` and is `width` wide. */
  left(at: number, width = 0): number {
    return this.#isRightToLeft ? this.#width - at - width : at;
  }

  add(element: string): void {
    this.#elements.push(element);
  }

  /**
   * Writes a line, cut to its room.
   * @returns its width in pixels.
   */
  text(style: TextStyleName, place: TextPlace, text: string): number {
    const { sizePx, weight } = textStyles[style];
    return this.fitted(style, place, fit(text, place.maxWidth, sizePx, weight));
  }

  /**
   * Writes lines below one another, each cut to its room.
   * @param place.step the distance between their baselines.
   */
  lines(style: TextStyleName, place: TextPlace & { step: number }, lines: readonly string[]): void {
    for (const [index, line] of lines.entries()) this.text(style, { ...place, y: place.y + index * place.step }, line);
  }

  /**
   * Writes a title, in a smaller style where it would have to be cut.
   * @returns its width in pixels.
   */
  headline(place: TextPlace, text: string): number {
    const { sizePx, weight } = textStyles.heading;
    return this.text(measure(oneLine(text), sizePx, weight) <= place.maxWidth ? 'heading' : 'name', place, text);
  }

  /**
   * Writes a text that is fitted already.
   * @returns its width in pixels.
   */
  fitted(style: TextStyleName, place: TextPlace, { text, width }: Fitted): number {
    if (text === '') return 0;
    const { at, y, maxWidth, anchor = 'start', isProse = false } = place;
    const held =
      width > maxWidth * nearlyFull && isMeasured(text)
        ? ` textLength="${px(width)}" lengthAdjust="spacingAndGlyphs"`
        : '';
    const side =
      anchor === 'middle'
        ? ' text-anchor="middle"'
        : (anchor === 'end') !== this.#isRightToLeft
          ? ' text-anchor="end"'
          : '';
    const isolatedText = isProse && this.#isRightToLeft ? sentence(text) : directed(text);
    this.add(
      `<text class="${textStyles[style].class}" x="${px(this.left(at))}" y="${px(y)}"${side}${held}>${escapeText(isolatedText)}</text>`,
    );
    return width;
  }

  rect(place: { at: number; y: number; width: number; height: number; radius?: number }, attributes: string): void {
    const { at, y, width, height, radius = 0 } = place;
    const round = radius > 0 ? ` rx="${px(radius)}"` : '';
    this.add(
      `<rect ${attributes} x="${px(this.left(at, width))}" y="${px(y)}" width="${px(width)}" height="${px(height)}"${round}/>`,
    );
  }

  /** Returns all elements that were drawn. */
  body(): string {
    return this.#elements.join('\n');
  }
}

/** Escapes text for a card, so that none of it is read as markup, and removes characters that XML does not allow. */
export function escapeText(text: string): string {
  const allowed = plain.test(text) ? text : text.toWellFormed().replace(notAllowed, '');
  if (!unsafe.test(allowed)) return allowed;
  return allowed
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** Formats a number of pixels with at most two decimals. */
export function px(value: number): string {
  return String(Math.round(value * 100) / 100);
}
