import type { Card } from '../card.ts';
import { drawBadge } from '../cards/community.card.ts';
import { Canvas, px, textStyles } from '../drawing/canvas.ts';
import { type Drawing, frame, padding } from '../drawing/frame.ts';
import type { CardOptions } from '../options.ts';
import { wrap } from '../text/fit.ts';
import { measure } from '../text/measure.ts';

/** The message of a card that has nothing to show. */
export interface State {
  kind: 'collecting' | 'nothing' | 'problem';
  title: string;
  /** One or two sentences; empty when the title says enough. */
  detail: string;
}

/** Icons of 24 by 24 pixels, drawn in lines. */
const signs: Readonly<Record<State['kind'], string>> = {
  collecting: '<path d="M7 3h10M7 21h10M8 3v4l4 5 4-5V3M8 21v-4l4-5 4 5v4"/>',
  nothing:
    '<path d="M12 21v-9M12 12c0-4-3-6.5-7.5-6.5 0 4 3 6.5 7.5 6.5zM12 15c0-3.5 2.5-5.5 7-5.5 0 3.5-2.5 5.5-7 5.5z"/>',
  problem: '<circle cx="12" cy="12" r="9"/><path d="M12 7.5v5.25M12 16.25v.25"/>',
};
const signSize = 24;
const lineHeight = 17;
const maxLines = 6;
/** The distance from the top of the sign to the baseline of the title. */
const titleBelowSign = signSize + 24;
const titleHeight = 13;
const titleLineHeight = 18;
/** Titles of errors take two lines on narrow cards, in a smaller style. */
const maxTitleLines = 2;
/** Cards of at most this height are badges, which have room for one word. */
const badgeHeight = 20;
const error = '#b3261e';

/** Draws a message in the place and size of a card that cannot be shown. */
export function drawState(card: Pick<Card, 'emptySize'>, state: State, options: CardOptions): Drawing {
  const { widthPx: width, heightPx } = card.emptySize(options);
  if (heightPx <= badgeHeight) {
    const tone = state.kind === 'problem' ? error : undefined;
    return drawBadge(options, options.title ?? options.language.words.community, state.title, tone);
  }
  const canvas = new Canvas(width, options.language);
  const maxWidth = width - 2 * padding;
  const { sizePx } = textStyles.label;
  const lines = state.detail === '' ? [] : wrap(state.detail, { maxWidth, maxLines, sizePx });
  const { style, titles } = toTitle(state.title, maxWidth);
  const middle = { at: width / 2, maxWidth, anchor: 'middle', isProse: true } as const;
  const belowTitle = titleLineHeight * (titles.length - 1);
  const below = belowTitle + (lines.length === 0 ? 0 : 6 + lineHeight * lines.length);
  const height = Math.max(heightPx, 2 * padding + titleHeight + below);
  const hasSign = height >= 2 * padding + titleBelowSign + below;
  const above = hasSign ? titleBelowSign : titleHeight;
  const top = (height - above - below) / 2;
  if (hasSign) {
    const place = `translate(${px(width / 2 - signSize / 2)} ${px(top)})`;
    const strokes = 'stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round"';
    canvas.add(`<g class="k" ${strokes} transform="${place}">${signs[state.kind]}</g>`);
  }
  canvas.lines(style, { ...middle, y: top + above, step: titleLineHeight }, titles);
  canvas.lines('label', { ...middle, y: top + above + belowTitle + 6 + lineHeight, step: lineHeight }, lines);
  return frame(
    // Text needs a background on which it can be read.
    { ...options, isRaw: false },
    { width, height, title: state.title, description: state.detail || state.title, body: canvas.body() },
  );
}

/** Returns the lines of a title: one, or two in a smaller style where one would have to be cut. */
function toTitle(title: string, maxWidth: number): { style: 'heading' | 'name'; titles: string[] } {
  const { sizePx, weight } = textStyles.heading;
  if (measure(title, sizePx, weight) <= maxWidth) return { style: 'heading', titles: [title] };
  return { style: 'name', titles: wrap(title, { maxWidth, maxLines: maxTitleLines, ...textStyles.name }) };
}
