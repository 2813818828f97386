import type { Language } from './languages/language.ts';
import { escapeText, px } from './markup.ts';
import { type Fitted, fit, oneLine } from './text/fit.ts';
import { isMeasured, measure, type Weight } from './text/measure.ts';

interface TextStyle {
  sizePx: number;
  weight: Weight;
  tone: 'text' | 'muted';
  /** In the picture's style sheet. */
  class: string;
}

/** The sizes in which a picture speaks, from the loudest. */
export const textStyles = {
  heading: { sizePx: 17, weight: 'bold', tone: 'text', class: 'h' },
  number: { sizePx: 18, weight: 'bold', tone: 'text', class: 'n' },
  name: { sizePx: 14, weight: 'bold', tone: 'text', class: 'b' },
  label: { sizePx: 12, weight: 'regular', tone: 'muted', class: 'l' },
  small: { sizePx: 11, weight: 'regular', tone: 'muted', class: 's' },
} as const satisfies Record<string, TextStyle>;
export type TextStyleName = keyof typeof textStyles;

/** Above this share of its room a text is held to its measured length, should the reader's font be wider. */
const nearlyFull = 0.86;
const needsIsolation = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFF\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;
const isolate = { start: '\u2068', end: '\u2069' };

/** A text that is read in the direction of its first letter, whatever stands around it. */
export function directed(text: string): string {
  return needsIsolation.test(text) ? `${isolate.start}${text}${isolate.end}` : text;
}

export interface TextPlace {
  /** From the side that lines begin at, in pixels. */
  at: number;
  /** Of the baseline. */
  y: number;
  /** How many pixels the text may take. */
  room: number;
  /** Which point of the text `at` is. */
  anchor?: 'start' | 'middle' | 'end';
}

/** Where a picture is drawn on. Places are told from the side that lines begin at, so that what is written from right to left is laid out so. */
export class Canvas {
  readonly #width: number;
  readonly #isRightToLeft: boolean;
  readonly #elements: string[] = [];

  constructor(width: number, language: Pick<Language, 'isRightToLeft'>) {
    this.#width = width;
    this.#isRightToLeft = language.isRightToLeft;
  }

  /** The left edge of something that begins `at` and is `width` wide. */
  left(at: number, width = 0): number {
    return this.#isRightToLeft ? this.#width - at - width : at;
  }

  add(element: string): void {
    this.#elements.push(element);
  }

  /** Writes a line, cut to its room. @returns the pixels that it takes. */
  text(style: TextStyleName, place: TextPlace, text: string): number {
    const { sizePx, weight } = textStyles[style];
    return this.fitted(style, place, fit(text, place.room, sizePx, weight));
  }

  /** Writes a title, smaller where it would have to be cut. @returns the pixels that it takes. */
  headline(place: TextPlace, text: string): number {
    const { sizePx, weight } = textStyles.heading;
    return this.text(measure(oneLine(text), sizePx, weight) <= place.room ? 'heading' : 'name', place, text);
  }

  /** Writes what was fitted before. */
  fitted(style: TextStyleName, { at, y, room, anchor = 'start' }: TextPlace, { text, width }: Fitted): number {
    if (text === '') return 0;
    const held =
      width > room * nearlyFull && isMeasured(text) ? ` textLength="${px(width)}" lengthAdjust="spacingAndGlyphs"` : '';
    const side =
      anchor === 'middle'
        ? ' text-anchor="middle"'
        : (anchor === 'end') !== this.#isRightToLeft
          ? ' text-anchor="end"'
          : '';
    this.add(
      `<text class="${textStyles[style].class}" x="${px(this.left(at))}" y="${px(y)}"${side}${held}>${escapeText(directed(text))}</text>`,
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

  /** All that was drawn. */
  body(): string {
    return this.#elements.join('\n');
  }
}
